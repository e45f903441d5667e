#include <tasuki/run/skew.hpp>

#include <algorithm>

namespace tasuki {
namespace {

// The number of planes by which a later sweep must lag behind an earlier one, from the way in which both use a memory.
long distance(const PlaneUse& earlier, const PlaneUse& later) {
  long planes = 0;
  if (earlier.writes && later.reads) planes = std::max<long>(planes, later.reach.hi);   // it must be written
  if (earlier.reads && later.writes) planes = std::max<long>(planes, earlier.reach.lo); // it must be read
  return planes;
}

} // namespace

void Skew::add(const PlaneUses& sweep) {
  long lag = 0, below = 0, above = 0;
  for (std::size_t k = 0; k < sweeps_.size(); ++k)
    for (const PlaneUse& earlier : sweeps_[k])
      for (const PlaneUse& later : sweep)
        if (earlier.memory == later.memory && (earlier.writes || later.writes))
          lag = std::max(lag, lags_[k] + distance(earlier, later));
  for (const PlaneUse& use : sweep) {
    below = std::max<long>(below, use.reach.lo);
    above = std::max<long>(above, use.reach.hi);
  }
  sweeps_.push_back(sweep);
  lags_.push_back(lag);
  most_lag_ = std::max(most_lag_, lag);
  below_ = std::max(below_, lag + below);
  above_ = std::max(above_, above - lag);
}

std::vector<Slab> slabs_of(long lo, long hi, long height, const Skew& skew) {
  const long all = hi - lo + skew.most_lag(); // until the last sweep has reached the end
  const long count = std::max(1L, (all + height - 1) / height);
  const auto within = [&](long plane) { return std::clamp(plane, lo, hi); };
  std::vector<Slab> slabs;
  long top = lo;
  for (long k = 0; k < count; ++k) {
    Slab slab;
    slab.first = lo + all * k / count;
    slab.last = lo + all * (k + 1) / count;
    slab.bottom = within(slab.first - skew.below());
    slab.kept = top;
    slab.top = top = within(slab.last + skew.above());
    slab.done = within(slab.first - skew.most_lag());
    slab.done_to = within(slab.last - skew.most_lag());
    slabs.push_back(slab);
  }
  return slabs;
}

} // namespace tasuki
