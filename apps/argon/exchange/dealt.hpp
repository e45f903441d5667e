// In which state a replica begins.
#pragma once

#include <numeric>

namespace tasuki::argon {

// Of replica r of so many: steps of about 0.618 of all, so that any stretch of replicas, and what a rank or a processor
// has is one, begins with cold and hot ones alike. Hot atoms outrun their lists sooner, and whoever has all of them is
// waited for. The same on any number of ranks.
inline int dealt_state(int replica, int states) {
  long step = static_cast<long>(0.6180339887498949 * states) + 1;
  while (std::gcd(step, static_cast<long>(states)) != 1) ++step;
  return static_cast<int>(step * replica % states);
}

} // namespace tasuki::argon
