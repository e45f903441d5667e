#include <tasuki/base/digest.hpp>
#include <tasuki/base/error.hpp>
#include <tasuki/base/executors.hpp>
#include <tasuki/base/gather.hpp>
#include <tasuki/base/log.hpp>
#include <tasuki/file/part_file.hpp>
#include <tasuki/program/plan.hpp>
#include <tasuki/run/learned.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tasuki {
namespace {

using Json = nlohmann::json;

std::string name_of(std::uint64_t situation) { return fmt::format("{:016x}", situation); }

long today() {
  using Days = std::chrono::duration<long, std::ratio<86400>>;
  return std::chrono::duration_cast<Days>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// "" if there is no file, or if it cannot be read.
std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  return file ? text.str() : "";
}

bool is_executor(const std::string& name) {
  return std::any_of(kExecutors.begin(), kExecutors.end(),
                     [&](const ExecutorRow& row) { return name == row.name; });
}

} // namespace

std::uint64_t situation_of(const Program& program, const Looks& looks) {
  const GridCore& grid = program.grid();
  const World& world = grid.world();
  const Settings& settings = world.settings();
  Digest digest;
  digest.add(program.planner().digest());
  for (int a = 0; a < grid.dims(); ++a)
    for (const long number :
         {grid.extents()[a], static_cast<long>(grid.cut().ranks[a]), static_cast<long>(grid.halo()[a].lo),
          static_cast<long>(grid.halo()[a].hi), static_cast<long>(grid.periodic(a))})
      digest.add(static_cast<std::uint64_t>(number));
  for (const long number : {static_cast<long>(world.size()), static_cast<long>(world.nodes()),
                            static_cast<long>(world.threads()), looks.every})
    digest.add(static_cast<std::uint64_t>(number));
  for (const bool flag : {looks.late, looks.in_kernels, looks.told, grid.device().cuda()})
    digest.add(static_cast<std::uint64_t>(flag));
  return digest.add(settings.sums).add(settings.channel).value();
}

LearnedTable LearnedTable::parse(const std::string& text) {
  LearnedTable table;
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || json.value("tasuki", Json()) != Json(TASUKI_VERSION)) return table;
  const Json entries = json.value("executors", Json::object());
  if (!entries.is_object()) return table;
  for (const auto& [situation, entry] : entries.items()) {
    if (!entry.is_object() || !entry.contains("executor") || !entry.contains("day")) continue;
    if (!entry["executor"].is_string() || !entry["day"].is_number_integer()) continue;
    if (const std::string name = entry["executor"]; is_executor(name))
      table.entries[situation] = {name, entry["day"].get<long>()};
  }
  return table;
}

std::string LearnedTable::json() const {
  Json json = {{"tasuki", TASUKI_VERSION}, {"executors", Json::object()}};
  for (const auto& [situation, entry] : entries)
    json["executors"][situation] = {{"executor", entry.executor}, {"day", entry.day}};
  return json.dump(1) + "\n";
}

std::string LearnedTable::find(std::uint64_t situation, long today) const {
  const auto found = entries.find(name_of(situation));
  if (found == entries.end() || today - found->second.day >= kDays) return "";
  return found->second.executor;
}

void LearnedTable::keep(std::uint64_t situation, const std::string& executor, long today) {
  entries[name_of(situation)] = {executor, today};
  while (entries.size() > kMost)
    entries.erase(std::min_element(entries.begin(), entries.end(),
                                   [](const auto& a, const auto& b) { return a.second.day < b.second.day; }));
}

Learned::Learned(Device& device) : world_(device.world()) {
  if (world_.settings().tuning == "none") return;
  path_ = path_of(machine_of(device));
  if (world_.rank() == 0) table_ = LearnedTable::parse(text_of(path_));
}

std::string Learned::path_of(const Machine& machine) {
  const std::filesystem::path constants = Tuning::default_path(machine);
  return (constants.parent_path() / ("learned-" + machine.key() + ".json")).string();
}

std::string Learned::find(std::uint64_t situation) const {
  if (path_.empty()) return "";
  std::string found;
  if (world_.rank() == 0) found = table_.find(situation, today());
  share(world_, found);
  return found;
}

void Learned::keep(std::uint64_t situation, const std::string& executor) const {
  if (path_.empty() || world_.rank() != 0) return;
  LearnedTable table = LearnedTable::parse(text_of(path_));
  table.keep(situation, executor, today());
  try {
    std::filesystem::create_directories(std::filesystem::path(path_).parent_path());
    replace_file(path_, table.json());
  } catch (const std::exception& fault) { // another run is writing it, or the folder is not writable
    const std::string why = fault.what();
    log_info(world_, [&] { return fmt::format("what the trial found is not kept: {}", why); });
  }
}

} // namespace tasuki
