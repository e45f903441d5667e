// What the arrays of a space cost: counted by each rank as it goes, put together at the end.
#include <tasuki/space/core.hpp>

#include <tasuki/base/reduce.hpp>

#include <fmt/format.h>

namespace tasuki {

using namespace space;

namespace {

using Numbers = std::vector<std::uint64_t>;

Numbers numbers_of(const Array& array) {
  const Counts& c = array.counts;
  return {c.faults, c.first_writes, c.by_fault, c.by_section, c.ahead, c.bytes_in, c.bytes_out, c.waited};
}

SpaceCounts counts_of(const Numbers& n) {
  return {n[0], n[1], n[2], n[3], n[4], n[5], n[6], static_cast<double>(n[7]) * 1e-9};
}

std::string size_text(std::uint64_t bytes) {
  return fmt::format("{:.1f}", static_cast<double>(bytes) / 1048576);
}

} // namespace

SpaceCounts Space::counts() const {
  Numbers sum(8, 0);
  for (std::size_t k = 0; k < core_->arrays.count(); ++k) {
    const Numbers one = numbers_of(core_->arrays[k]);
    for (std::size_t n = 0; n < sum.size(); ++n) sum[n] += one[n];
  }
  return counts_of(reduce_sum(core_->world, sum));
}

std::string Space::report() const {
  core_->check_alike();
  std::string text = fmt::format("{:<16} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "array", "MiB",
                                 "touches", "pages", "of them", "sections'", "MiB in", "MiB out", "waited s");
  text += fmt::format("{:<16} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "", "", "", "by touch", "ahead", "pages");
  for (std::size_t k = 0; k < core_->arrays.count(); ++k) {
    const Array& array = core_->arrays[k];
    const SpaceCounts c = counts_of(reduce_sum(core_->world, numbers_of(array)));
    text += fmt::format("{:<16} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9.3f}\n", array.name,
                        size_text(array.map.bytes()), c.faults, c.pages_by_fault, c.pages_ahead,
                        c.pages_by_section, size_text(c.bytes_in), size_text(c.bytes_out), c.seconds_waited);
  }
  return text;
}

} // namespace tasuki
