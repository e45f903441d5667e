// Which of several ways each of some parcels takes, so that all of them have arrived soonest.
#pragma once

#include <vector>

namespace tasuki {

// A way that a parcel may take. The latency of a lane is paid once, by whatever takes it; what the bytes cost adds up.
struct Way {
  int channel;              // channels may run at once
  int lane;                 // within a channel: one after another
  double latency, transfer; // s
};

struct Choice {
  std::vector<int> ways; // for each parcel, the number of its way
  double seconds = 0;    // until all have arrived
};

// at_once: channels run beside each other, and the longest counts; else one after another. The best there is where
// the ways multiply to a few thousand, else the longest parcels first, each where it ends soonest, and changes of one
// or two parcels while they help. Ties go to the ways named first. Every parcel has a way at least.
Choice choose_ways(const std::vector<std::vector<Way>>& parcels, bool at_once);

} // namespace tasuki
