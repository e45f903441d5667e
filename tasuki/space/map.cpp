#include <tasuki/space/map.hpp>

#include <tasuki/base/error.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace tasuki::space {
namespace {

constexpr long kMostOfArray = 1L << 62;

using Wide = __int128;

// Parts that differ by one block of `grain` at most; the axis' last block may be short.
Cut even_cut(long extent, long parts, long grain) {
  if (parts == 1) return {{0, extent}, whole(), 1};
  const long blocks = (extent + grain - 1) / grain;
  const auto begin = [&](long part) {
    return std::min(extent, static_cast<long>(static_cast<Wide>(blocks) * part / parts) * grain);
  };
  std::vector<long> sizes;
  for (long k = 0; k < parts; ++k) sizes.push_back(begin(k + 1) - begin(k));
  return {{0, extent}, gblock(std::move(sizes)), static_cast<int>(parts)};
}

} // namespace

Map::Map(std::vector<long> extents, const std::vector<long>& parts, std::size_t element_bytes, int first,
         int ranks, std::size_t align)
    : extents_(std::move(extents)), element_bytes_(element_bytes), first_(first), ranks_(ranks) {
  if (extents_.size() != parts.size())
    throw Error("an array has " + std::to_string(extents_.size()) + " extents and is cut along " +
                    std::to_string(parts.size()) + " axes",
                "give dim and div equally many numbers before their -1");
  if (extents_.empty() || extents_.size() > kMostAxes)
    throw Error("an array has " + std::to_string(extents_.size()) + " axes",
                "give 1 to " + std::to_string(kMostAxes) + ", and -1 behind them");
  if (element_bytes_ == 0) throw Error("an array's elements have 0 bytes", "give the size of an element");
  Wide all = 1;
  for (std::size_t a = 0; a < extents_.size(); ++a) {
    if (extents_[a] < 1 || parts[a] < 1 || parts[a] > extents_[a])
      throw Error("axis " + std::to_string(a) + " of an array has " + std::to_string(extents_[a]) +
                      " elements and is cut into " + std::to_string(parts[a]) + " parts",
                  "give it 1 element or more, and 1 to as many parts");
    all *= extents_[a];
    if (all * static_cast<Wide>(element_bytes_) > kMostOfArray)
      throw Error("an array has more than 2^62 bytes", "make it smaller");
  }
  elements_ = static_cast<long>(all);
  long grain = 1; // rows of the slowest axis that cuts keep together
  if (align != 0 && parts[0] > 1) {
    const auto row = static_cast<std::size_t>(elements_ / extents_[0]) * element_bytes_;
    grain = static_cast<long>(align / std::gcd(align, row));
    if ((extents_[0] + grain - 1) / grain < parts[0])
      throw Error("parts of an array are to begin at pages of " + std::to_string(align) + " bytes, and " +
                      std::to_string(extents_[0]) + " rows of " + std::to_string(row) +
                      " bytes do not give " + std::to_string(parts[0]) + " of them",
                  "leave SMS_ALIGN out, or take smaller pages");
  }
  for (std::size_t a = 0; a < extents_.size(); ++a)
    cuts_.push_back(even_cut(extents_[a], parts[a], a == 0 ? grain : 1));
}

int Map::owner(long element) const {
  long part = 0, stride = elements_;
  for (std::size_t a = 0; a < extents_.size(); ++a) {
    stride /= extents_[a];
    part = part * cuts_[a].nodes() + cuts_[a].owner(element / stride % extents_[a]);
  }
  return first_ + static_cast<int>(part % ranks_);
}

long Map::same_until(long element) const {
  std::size_t last = extents_.size(); // the fastest axis that is cut
  while (last > 0 && cuts_[last - 1].nodes() == 1) --last;
  if (last == 0 || ranks_ == 1) return elements_;
  const std::size_t axis = last - 1;
  long stride = 1;
  for (std::size_t a = last; a < extents_.size(); ++a) stride *= extents_[a];
  const long index = element / stride % extents_[axis];
  return (element / stride - index + cuts_[axis].greatest(cuts_[axis].owner(index)) + 1) * stride;
}

int Map::home(std::uint64_t page, std::size_t page_bytes) const {
  return owner(static_cast<long>(page * page_bytes / element_bytes_));
}

std::uint64_t Map::same_home_until(std::uint64_t page, std::size_t page_bytes) const {
  const auto element = static_cast<long>(page * page_bytes / element_bytes_);
  // The first page whose first byte is in an element behind those of this owner.
  const auto until = static_cast<std::uint64_t>(same_until(element)) * element_bytes_;
  return std::min(pages(page_bytes), std::max(page + 1, (until + page_bytes - 1) / page_bytes));
}

std::vector<Map::Run> Map::homes(std::size_t page_bytes) const {
  std::vector<Run> runs;
  const std::uint64_t end = pages(page_bytes);
  for (std::uint64_t page = 0; page < end;) {
    const std::uint64_t next = same_home_until(page, page_bytes);
    const int home = this->home(page, page_bytes);
    if (!runs.empty() && runs.back().home == home)
      runs.back().count += next - page;
    else
      runs.push_back({page, next - page, home});
    page = next;
  }
  return runs;
}

} // namespace tasuki::space
