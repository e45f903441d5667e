// The options of a run that its folder keeps, so that a run is gone on with as it was begun: job.json.
//
//   const JobOptions<Options> job = {"tasuki-argon-job", {{"seed", &Options::seed}}, {{"steps", &Options::steps}}};
//   Json json = job_json(job.format, job.fixed_of(options));
//   job.take(folder.read("job.json"), command_line, options); // throws Error where the command line has another seed
#pragma once

#include <tasuki/base/options.hpp>

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tasuki::job {

using Json = nlohmann::ordered_json;

// An option by its name without dashes, and where its value is.
using Kept = std::variant<double*, long*, bool*, std::string*, std::vector<std::string>*>;
using KeptOptions = std::vector<std::pair<const char*, Kept>>;

// {"format": .., "version": 1, "options": {..}}, and what a part of a run adds to it: {"last_part": {..}}.
Json job_json(const std::string& format, const KeptOptions& fixed);
void put_part(Json& job, const KeptOptions& part);

// The text of a job.json. Throws Error where it is damaged or of another program.
Json parse_job(const std::string& text, const std::string& format);

// Gives options the values that job.json has: fixed ones that the command line gave too must not differ, others go
// before. Throws Error that names `folder`.
void take_job(const std::string& text, const std::string& format, const KeptOptions& fixed,
              const KeptOptions& part, const OptionParser& given, const std::string& folder);

// One line an option: {"seed", &Options::seed}. Options has a std::string `folder`, which errors name.
template <class Options>
struct JobOptions {
  using Member = std::variant<double Options::*, long Options::*, bool Options::*, std::string Options::*,
                              std::vector<std::string> Options::*>;
  using Table = std::vector<std::pair<const char*, Member>>;

  std::string format; // of job.json: "tasuki-argon-job"
  Table fixed;        // for the whole of a run: what it is
  Table part;         // of a part of it: taken from the part before where they are not given

  // They point into `options`.
  KeptOptions fixed_of(Options& options) const { return kept(fixed, options); }
  KeptOptions part_of(Options& options) const { return kept(part, options); }

  void take(const std::string& text, const OptionParser& given, Options& options) const {
    take_job(text, format, fixed_of(options), part_of(options), given, options.folder);
  }

private:
  static KeptOptions kept(const Table& table, Options& options) {
    KeptOptions all;
    for (const auto& [name, member] : table)
      std::visit([&, name = name](auto m) { all.emplace_back(name, &(options.*m)); }, member);
    return all;
  }
};

// 53 bits that two runs share only if these texts are the same: what a checkpoint is known by.
double fingerprint(const std::string& text);

} // namespace tasuki::job
