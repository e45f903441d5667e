// The options that are stored in the folder of a run, so that a resumed run has the same options: job.json.
//
//   const JobOptions<Options> job = {"tasuki-argon-job", {{"seed", &Options::seed}}, {{"steps", &Options::steps}}};
//   Json json = job_json(job.format, job.fixed_of(options));
//   job.take(folder.read("job.json"), command_line, options); // throws Error if the command line has another seed
#pragma once

#include <tasuki/base/options.hpp>

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tasuki::job {

using Json = nlohmann::ordered_json;

// The name of an option without dashes, and a pointer to its value.
using Kept = std::variant<double*, long*, bool*, std::string*, std::vector<std::string>*>;
using KeptOptions = std::vector<std::pair<const char*, Kept>>;

// {"format": .., "version": 1, "options": {..}}; put_part() adds those of the latest part: {"last_part": {..}}.
Json job_json(const std::string& format, const KeptOptions& fixed);
void put_part(Json& job, const KeptOptions& part);

// The content of a job.json. Throws Error if it is damaged or of another program.
Json parse_job(const std::string& text, const std::string& format);

// Sets options to the values of job.json. Fixed options of the command line must not differ from them; other options of
// the command line take precedence. Throws Error that contains `folder`.
void take_job(const std::string& text, const std::string& format, const KeptOptions& fixed,
              const KeptOptions& part, const OptionParser& given, const std::string& folder);

// One entry per option: {"seed", &Options::seed}. Options has a std::string `folder` for error messages.
template <class Options>
struct JobOptions {
  using Member = std::variant<double Options::*, long Options::*, bool Options::*, std::string Options::*,
                              std::vector<std::string> Options::*>;
  using Table = std::vector<std::pair<const char*, Member>>;

  std::string format; // of job.json: "tasuki-argon-job"
  Table fixed;        // options that are the same for the whole run
  Table part;         // options of a part of the run; the defaults are those of the previous part

  // Pointers to members of `options`.
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

// A hash of 53 bits of these texts, by which a restart recognises its checkpoint.
double fingerprint(const std::string& text);

} // namespace tasuki::job
