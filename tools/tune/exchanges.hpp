// How long an exchange with one neighbour takes: by channel, shape and size.
#pragma once

#include <tasuki/route/tuning.hpp>

#include <functional>
#include <vector>

namespace tasuki::tune {

struct Effort {
  long least_bytes = 64, most_bytes = 64L << 20; // of a face; each size is four times the one before
  double seconds = 4e-3; // that a repetition takes, or one exchange where that is longer
  int repetitions = 5;   // of which the fastest counts
};
inline constexpr Effort kQuick{64, 64L << 10, 3e-4, 2};

// The lines of all channels that join two ranks here, measured between ranks as near as each kind of pair has them, all
// such pairs at once; `each` is called on every rank as soon as a line is there. Collective.
std::vector<Line> measure_exchanges(World& world, const Effort& effort,
                                    const std::function<void(const Line&)>& each);

} // namespace tasuki::tune
