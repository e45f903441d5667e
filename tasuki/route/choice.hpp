// The choice of a way for each parcel such that the last parcel arrives as early as possible.
#pragma once

#include <vector>

namespace tasuki {

// One of the routes that a parcel may take. The latency of a lane counts once for all its parcels; transfer times add up.
struct Way {
  int channel;              // different channels may transfer at the same time
  int lane;                 // within a channel; lanes transfer one after another
  double latency, transfer; // s
};

struct Choice {
  std::vector<int> ways; // for each parcel, the index of its way
  double seconds = 0;    // until all parcels have arrived
};

// at_once: channels transfer at the same time, and the slowest decides; otherwise their times add up. Exhaustive for at
// most 4096 combinations. Otherwise greedy, the longest parcel first, and then improved by changes of one or two
// parcels. Of equal choices, the ways listed first are taken. Every parcel must have at least one way.
Choice choose_ways(const std::vector<std::vector<Way>>& parcels, bool at_once);

} // namespace tasuki
