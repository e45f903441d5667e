// What the arrays of a space cost, and who touched them: counted by each rank as it goes, put together at the end.
#include <tasuki/space/core.hpp>

#include <tasuki/base/reduce.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tasuki {

using namespace space;

namespace {

using Numbers = std::vector<std::uint64_t>;

Numbers numbers_of(const Counts& c) {
  return {c.faults, c.first_writes, c.by_fault, c.by_section, c.ahead, c.bytes_in, c.bytes_out, c.waited};
}

SpaceCounts counts_of(const Numbers& n) {
  return {n[0], n[1], n[2], n[3], n[4], n[5], n[6], static_cast<double>(n[7]) * 1e-9, 0};
}

std::string size_text(std::uint64_t bytes) {
  return fmt::format("{:.1f}", static_cast<double>(bytes) / 1048576);
}

} // namespace

SpaceCounts Space::counts() const {
  Numbers sum(9, 0);
  const auto add = [&](const Counts& counts) {
    const Numbers one = numbers_of(counts);
    for (std::size_t n = 0; n < one.size(); ++n) sum[n] += one[n];
  };
  for (std::size_t k = 0; k < core_->arrays.count(); ++k) add(core_->arrays[k].counts);
  if (core_->devices)
    for (const auto& cost : core_->devices->costs()) add(cost->counts);
  if (core_->server) sum[8] = core_->server->messages();
  const Numbers all = reduce_sum(core_->world, sum);
  SpaceCounts counts = counts_of(all);
  counts.messages = all[8];
  return counts;
}

std::vector<SpaceCost> Space::costs() const {
  core_->check_alike();
  World& world = core_->world;
  std::vector<Place> places;
  if (core_->pager && world.settings().space_report) { // of all ranks or none
    places = together(world, core_->pager->places());
    name_lines(places);
  }
  std::vector<SpaceCost> costs;
  for (std::size_t k = 0; k < core_->arrays.count(); ++k) {
    const Array& array = core_->arrays[k];
    SpaceCost cost{
        array.name, array.map.bytes(), counts_of(reduce_sum(world, numbers_of(array.counts))), {}, {}};
    const Fit mine = core_->pager ? core_->pager->fit(array) : Fit{};
    const double alone = mine.count > 0; // ranks that would have asked once
    const auto sums = reduce_sum(
        world, std::vector<double>{mine.count, mine.pages, mine.seconds, mine.squares, mine.products, alone});
    const Fit fit{sums[0], sums[1], sums[2], sums[3], sums[4]};
    if (fit.count > 0 && fit.knows()) {
      const double once = sums[5] * fit.once(fit.pages / sums[5]);
      cost.saved = std::max(0.0, 1 - once / fit.seconds) * cost.counts.seconds_waited;
    }
    for (const Place& place : places)
      if (place.array == array.name)
        cost.costliest.push_back({place.line, place.touches, place.pages, place.seconds});
    costs.push_back(std::move(cost));
  }
  if (core_->devices)
    for (const auto& cost : core_->devices->costs())
      costs.push_back(
          {cost->name, cost->bytes, counts_of(reduce_sum(world, numbers_of(cost->counts))), {}, {}});
  return costs;
}

std::string Space::report() const {
  const std::vector<SpaceCost> costs = this->costs();
  core_->reported = true;
  if (core_->world.rank() != 0 || costs.empty()) return "";
  std::size_t width = 16;
  for (const SpaceCost& cost : costs) width = std::max(width, cost.array.size());
  std::string text =
      fmt::format("{:<{}} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>10}\n", "array", width, "MiB",
                  "touches", "pages", "of them", "sections'", "MiB in", "MiB out", "waited s", "of that by");
  text += fmt::format("{:<{}} {:>9} {:>9} {:>9} {:>9} {:>9} {:>29} {:>10}\n", "", width, "", "", "by touch",
                      "ahead", "pages", "", "preload");
  for (const SpaceCost& cost : costs) {
    const SpaceCounts& c = cost.counts;
    text += fmt::format("{:<{}} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9.3f} {:>10}\n", cost.array,
                        width, size_text(cost.bytes), c.faults, c.pages_by_fault, c.pages_ahead,
                        c.pages_by_section, size_text(c.bytes_in), size_text(c.bytes_out), c.seconds_waited,
                        cost.saved ? fmt::format("{:+.3f}", -*cost.saved) : "");
    for (const SpaceCost::Touched& place : cost.costliest)
      text += fmt::format("  {:.3f} s, {} touches, {} pages: {}\n", place.seconds, place.touches, place.pages,
                          place.line);
  }
  return text;
}

} // namespace tasuki
