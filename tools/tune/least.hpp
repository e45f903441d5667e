// The least of a few times: what a machine can do, whatever else it was doing meanwhile.
#pragma once

#include <tasuki/base/reduce.hpp>
#include <tasuki/base/world.hpp>

#include <algorithm>
#include <functional>
#include <limits>

namespace tasuki::tune {

// Of `times` calls, each the slowest rank's. Collective.
inline double least_of(World& world, int times, const std::function<double()>& taken) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < times; ++k) {
    barrier(world);
    least = std::min(least, reduce_max(world, taken()));
  }
  return least;
}

} // namespace tasuki::tune
