// The options of a run that its folder keeps, so that a run is gone on with as it was begun: job.json.
#pragma once

#include <tasuki/base/error.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace tasuki::job {

// One line an option: {"seed", &Options::seed}. Options has a std::string `folder`, which errors name.
template <class Options>
struct JobOptions {
  using Json = nlohmann::ordered_json;
  using Member = std::variant<double Options::*, long Options::*, bool Options::*, std::string Options::*,
                              std::vector<std::string> Options::*>;
  using Table = std::vector<std::pair<const char*, Member>>;

  std::string format; // of job.json: "tasuki-argon-job"
  Table fixed;        // for the whole of a run: what it is
  Table part;         // of a part of it: taken from the part before where they are not given

  Json fixed_json(const Options& options) const {
    Json json = {{"format", format}, {"version", 1}};
    put(json["options"], fixed, options);
    return json;
  }
  void put_part(Json& json, const Options& options) const { put(json["last_part"], part, options); }

  // The options as job.json has them: fixed ones that the command line gave too must not differ, others go before.
  // Throws Error.
  void take(const std::string& text, const CLI::App& app, Options& options) const {
    read(text, [&](const Json& json) {
      for (const auto& [name, member] : fixed) take_one(json.at("options"), name, member, app, options, true);
      for (const auto& [name, member] : part)
        take_one(json.at("last_part"), name, member, app, options, false);
    });
  }

  // What `use` makes of job.json; throws Error where it is damaged.
  template <class Use>
  auto read(const std::string& text, Use&& use) const {
    try {
      const Json json = Json::parse(text);
      if (json.at("format") != format || json.at("version") != 1)
        throw Error("job.json is of another version", "use the program that wrote it");
      return use(json);
    } catch (const nlohmann::json::exception&) {
      throw Error("job.json is damaged", "begin another run in another folder");
    }
  }

private:
  static void put(Json& json, const Table& table, const Options& options) {
    for (const auto& [name, member] : table)
      std::visit([&, name = name](auto m) { json[name] = options.*m; }, member);
  }
  static void take_one(const Json& values, const char* name, const Member& member, const CLI::App& app,
                       Options& options, bool is_fixed) {
    const bool given = app.get_option(std::string("--") + name)->count() > 0;
    std::visit(
        [&](auto m) {
          const auto had = values.at(name).get<std::decay_t<decltype(options.*m)>>();
          if (is_fixed && given && options.*m != had)
            throw Error(fmt::format("--{} {}, but the run in {} was begun with {}", name,
                                    Json(options.*m).dump(), options.folder, values.at(name).dump()),
                        "leave the option out, or begin another run in another folder");
          if (is_fixed || !given) options.*m = had;
        },
        member);
  }
};

// 53 bits that two runs share only if these texts are the same: what a checkpoint is known by.
inline double fingerprint(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return static_cast<double>(hash >> 11);
}

} // namespace tasuki::job
