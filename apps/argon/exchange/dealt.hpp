// The initial state of a replica.
#pragma once

#include <numeric>

namespace tasuki::argon {

// For replica r, in steps of about 0.618 of the number of states, so that consecutive replicas (and so those of each
// rank or multiprocessor) include cold and hot ones alike. Neighbour lists are rebuilt more often for hot atoms, so the
// load is balanced. The same on any number of ranks.
inline int dealt_state(int replica, int states) {
  long step = static_cast<long>(0.6180339887498949 * states) + 1;
  while (std::gcd(step, static_cast<long>(states)) != 1) ++step;
  return static_cast<int>(step * replica % states);
}

} // namespace tasuki::argon
