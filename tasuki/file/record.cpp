#include <tasuki/file/record.hpp>

#include <tasuki/base/gather.hpp>
#include <tasuki/base/mpi_info.hpp>
#include <tasuki/base/on_all.hpp>
#include <tasuki/file/checkpoint.hpp>
#include <tasuki/file/part_file.hpp>
#include <tasuki/file/seal.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>
#include <set>

namespace tasuki {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json to_json(const Value& value) {
  return std::visit(
      [](const auto& held) -> Json {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::monostate>) {
          return nullptr;
        } else if constexpr (std::is_same_v<Held, double>) {
          return number(held);
        } else if constexpr (std::is_same_v<Held, std::vector<double>>) {
          Json list = Json::array();
          for (const double each : held) list.push_back(number(each));
          return list;
        } else {
          return held;
        }
      },
      value);
}

Json to_json(const Values& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) json[name] = to_json(value);
  return json;
}

Json to_json(const std::optional<std::string>& text) { return text ? Json(*text) : Json(nullptr); }

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string compiler() {
#if defined(__clang__)
  return fmt::format("Clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return "unknown";
#endif
}

} // namespace

MachineInfo machine_info(World& world, Device& device) {
  MachineInfo machine;
  machine.hosts = world.hosts();
  machine.ranks = world.size();
  machine.nodes = world.nodes();
  machine.device = device.cuda() ? "cuda" : "host";
  machine.device_name = device.name();
  share(world, machine.device_name);
  // Ranks may share a GPU, and the ranks of a node share its cores, so different devices are counted.
  const std::vector<std::array<int, 2>> all =
      gather_rows<std::array<int, 2>>(world, {{world.node(), device.cuda() ? device.ordinal() : 0}});
  machine.devices = static_cast<int>(std::set<std::array<int, 2>>(all.begin(), all.end()).size());
  machine.threads_per_rank = world.threads();
  return machine;
}

BuildInfo build_info() {
  BuildInfo build;
  build.compiler = compiler();
  build.build_type = TASUKI_BUILD_TYPE;
  if (const CudaInfo cuda = cuda_info(); cuda.built) build.cuda = cuda.version;
  build.mpi = mpi_library();
  build.gpu_aware_mpi = gpu_aware_mpi();
  if (const std::string version = hdf5_version(); !version.empty()) build.hdf5 = version;
  return build;
}

GridInfo grid_info(const AnyField& field) { return grid_info(field.core()->grid()); }

GridInfo grid_info(const GridCore& grid) {
  GridInfo info;
  for (int a = 0; a < grid.dims(); ++a) {
    info.extents.push_back(grid.extents()[a]);
    info.ranks.push_back(grid.cut().ranks[a]);
    info.halo.emplace_back(grid.halo()[a].lo, grid.halo()[a].hi);
    info.periodic.push_back(grid.periodic(a));
    const std::vector<long>& offsets = grid.cut().offsets[a];
    auto& blocks = info.blocks.emplace_back();
    for (std::size_t c = 0; c + 1 < offsets.size(); ++c) blocks.push_back(offsets[c + 1] - offsets[c]);
  }
  const std::vector<int>& mapping = grid.cut().rank_of_block;
  if (!std::is_sorted(mapping.begin(), mapping.end())) info.mapping = mapping;
  return info;
}

std::string halo_text(int depth) {
  return depth == kAutoHalo ? "auto" : depth == kDirectHalo ? "direct" : std::to_string(depth);
}

Values option_values(const Settings& settings) {
  return {
      {"device", settings.device},
      {"executor", settings.executor},
      {"channel", settings.channel},
      {"halo", settings.halo < 0 ? Value(halo_text(settings.halo)) : Value(static_cast<long>(settings.halo))},
      {"ranks", std::vector<long>(settings.ranks.begin(), settings.ranks.end())},
      {"threads", static_cast<long>(settings.threads)},
      {"sums", settings.sums},
      {"share_devices", settings.share_devices}};
}

std::string to_json(const Record& record) {
  Json json;
  json["tasuki"] = TASUKI_VERSION;
  json["schema"] = 1;
  json["program"] = record.program;
  json["finished"] = now();
  json["interrupted"] = record.run.interrupted;

  const MachineInfo& machine = record.machine;
  json["machine"] = {{"hosts", machine.hosts},
                     {"ranks", machine.ranks},
                     {"nodes", machine.nodes},
                     {"device", machine.device},
                     {"device_name", machine.device_name},
                     {"devices", machine.devices},
                     {"threads_per_rank", machine.threads_per_rank}};
  const BuildInfo& build = record.build;
  json["build"] = {{"compiler", build.compiler},           {"build_type", build.build_type},
                   {"cuda", to_json(build.cuda)},          {"mpi", build.mpi},
                   {"gpu_aware_mpi", build.gpu_aware_mpi}, {"hdf5", to_json(build.hdf5)}};
  json["options"] = to_json(record.options);
  json["grid"] = {{"extents", record.grid.extents},
                  {"ranks", record.grid.ranks},
                  {"halo", record.grid.halo},
                  {"periodic", record.grid.periodic},
                  {"blocks", record.grid.blocks}};
  if (!record.grid.mapping.empty()) json["grid"]["mapping"] = record.grid.mapping;

  Json phases = Json::object(), channels = Json::object();
  for (const auto& [name, seconds] : record.run.phases) phases[name] = number(seconds);
  for (const auto& [name, traffic] : record.run.channels)
    channels[name] = {{"bytes", traffic.bytes}, {"messages", traffic.messages}};
  json["run"] = {{"executor", record.run.executor},
                 {"steps", record.run.steps},
                 {"seconds", number(record.run.seconds)},
                 {"phases", phases},
                 {"channels", channels}};
  for (const auto& [depth, seconds] : record.run.halos)
    json["run"]["halos"][halo_text(depth)] = number(seconds);
  for (const auto& [name, seconds] : record.run.tried) json["run"]["tried"][name] = number(seconds);
  if (record.run.brought + record.run.taken > 0)
    json["run"]["streamed"] = {{"brought", record.run.brought}, {"taken", record.run.taken}};
  const bool merit = record.merit && std::isfinite(record.merit->value);
  json["merit"] = merit ? Json{{"name", record.merit->name}, {"value", record.merit->value}} : Json(nullptr);
  json["results"] = to_json(record.results);
  // Host names and options may be any bytes of the system: invalid text is replaced rather than refused.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_record(World& world, const std::string& path, const Record& record) {
  on_root(world, [&] { replace_file(path, sealed(to_json(record))); });
}

} // namespace tasuki
