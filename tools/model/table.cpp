#include <tasuki/file/record.hpp>
#include <tools/model/table.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace tasuki::model {
namespace {

using Json = nlohmann::ordered_json;

std::string time_text(double seconds) {
  if (seconds == 0) return "-";
  if (seconds >= 1) return fmt::format("{:.4g} s", seconds);
  return seconds >= 1e-3 ? fmt::format("{:.4g} ms", 1e3 * seconds) : fmt::format("{:.3g} us", 1e6 * seconds);
}

} // namespace

void Table::rate(bool one_series) {
  std::map<std::string, const Row*> first;
  std::map<int, Row*> best;
  for (Row& row : rows) {
    if (!row.not_here.empty()) continue;
    const Row& base = *first.emplace(one_series ? "" : row.series, &row).first->second;
    row.efficiency = base.parts.total() / row.parts.total();
    if (!weak) row.efficiency *= static_cast<double>(base.devices) / row.devices;
    Row*& least = best[row.devices];
    if (!least || row.parts.total() < least->parts.total()) least = &row;
  }
  for (auto& [devices, row] : best) row->chosen = true;
}

std::string to_text(const Table& table) {
  const bool measured =
      std::any_of(table.rows.begin(), table.rows.end(), [](const Row& row) { return row.measured > 0; });
  std::string text = table.name + "\n";
  if (!table.source.empty()) text += table.source + "\n";
  text += fmt::format("{:>8} {:<12} {:>5} {:<14}", "devices", "", "halo", "block");
  for (const char* part : kPartNames) text += fmt::format(" {:>10}", part);
  text += fmt::format(" {:>10} {:>10}\n", "a step", measured ? "measured" : "efficiency");
  for (const Row& row : table.rows) {
    text += fmt::format("{:>8} {:<12} {:>5} {:<14}", row.devices, row.series + (row.chosen ? " *" : ""),
                        row.halo ? halo_text(row.halo) : "", fmt::format("{}", fmt::join(row.block, "x")));
    if (!row.not_here.empty()) {
      text += " not here: " + row.not_here + "\n";
      continue;
    }
    for (const double seconds : row.parts.seconds) text += fmt::format(" {:>10}", time_text(seconds));
    text += fmt::format(" {:>10}", time_text(row.parts.total()));
    text += row.measured > 0 ? fmt::format(" {:>10}  {:.3f}{} {}\n", time_text(row.measured),
                                           row.parts.total() / row.measured,
                                           row.calibrates ? " (calibrated)" : "", row.program)
                             : fmt::format(" {:>8.1f} %\n", 100 * row.efficiency);
  }
  return text;
}

std::string to_json(const Table& table) {
  Json rows = Json::array();
  for (const Row& row : table.rows) {
    Json parts = Json::object();
    for (std::size_t k = 0; k < kPartNames.size(); ++k) parts[kPartNames[k]] = row.parts.seconds[k];
    Json json = {{"series", row.series}, {"devices", row.devices}};
    if (!row.program.empty()) json["program"] = row.program;
    if (row.measured > 0) json["measured"] = row.measured;
    if (row.calibrates) json["calibrates"] = true;
    if (row.halo) json["halo"] = row.halo > 0 ? Json(row.halo) : Json(halo_text(row.halo));
    if (!row.ranks.empty()) {
      json["ranks"] = row.ranks;
      json["block"] = row.block;
      json["cells"] = row.cells;
      json["bytes_sent"] = row.sent;
    }
    if (row.not_here.empty()) {
      json["parts"] = parts;
      json["seconds"] = row.parts.total();
      json["efficiency"] = row.efficiency;
      json["chosen"] = row.chosen;
    } else {
      json["not_here"] = row.not_here;
    }
    rows.push_back(std::move(json));
  }
  return Json{{"schema", 1}, {"name", table.name}, {"source", table.source}, {"rows", rows}}.dump(2) + "\n";
}

} // namespace tasuki::model
