#include <tasuki/job/job_options.hpp>

#include <tasuki/base/json_number.hpp>

#include <fmt/format.h>

#include <cstdint>

namespace tasuki::job {
namespace {

Json to_json(const KeptOptions& options) {
  Json json;
  for (const auto& [name, kept] : options)
    std::visit([&, name = name](const auto* value) { json[name] = *value; }, kept);
  return json;
}

template <class T>
T value_of(const Json& json, const std::string& what) {
  if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
    return json_number<T>(json, what);
  else
    return json.get<T>();
}

void take_part(const Json& values, const KeptOptions& options, bool fixed, const OptionParser& given,
               const std::string& folder) {
  for (const auto& [option, kept] : options) {
    const std::string name = option;
    const Json& value = values.at(name);
    const bool named = given.given("--" + name);
    std::visit(
        [&](auto* now) {
          using T = std::remove_pointer_t<decltype(now)>;
          const T had = value_of<T>(value, "job.json is damaged: " + name);
          if (fixed && named && *now != had)
            throw Error(fmt::format("--{} {}, but the run in {} was begun with {}", name, Json(*now).dump(),
                                    folder, value.dump()),
                        "leave the option out, or begin another run in another folder");
          if (fixed || !named) *now = had;
        },
        kept);
  }
}

} // namespace

Json job_json(const std::string& format, const KeptOptions& fixed) {
  return {{"format", format}, {"version", 1}, {"options", to_json(fixed)}};
}

void put_part(Json& job, const KeptOptions& part) { job["last_part"] = to_json(part); }

Json parse_job(const std::string& text, const std::string& format) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("format") || !json.contains("version"))
    throw Error("job.json is damaged", "begin another run in another folder");
  if (json["format"] != format || json["version"] != 1)
    throw Error("job.json is of another version", "use the program that wrote it");
  return json;
}

void take_job(const std::string& text, const std::string& format, const KeptOptions& fixed,
              const KeptOptions& part, const OptionParser& given, const std::string& folder) {
  const Json json = parse_job(text, format);
  try {
    take_part(json.at("options"), fixed, true, given, folder);
    take_part(json.at("last_part"), part, false, given, folder);
  } catch (const nlohmann::json::exception&) {
    throw Error("job.json is damaged", "begin another run in another folder");
  }
}

double fingerprint(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return static_cast<double>(hash >> 11);
}

} // namespace tasuki::job
