// A box of bytes that goes from a rank to another.
#pragma once

#include <tasuki/device/copy.hpp>
#include <tasuki/route/route.hpp>

namespace tasuki {

// Both ends list it, with the same ranks, route and number of bytes; of all parcels from one rank to another they list
// the same ones in the same order.
struct Parcel {
  int from = 0, to = 0; // ranks: this one is one of them, or both
  Route route;
  // In the sender's memory; given by the sender.
  Strided sent{};
  // In the receiver's memory, of the same run and counts. Given by the receiver, and by the sender, as it addresses that
  // memory, where needs_landing(route).
  Strided landing{};
};

} // namespace tasuki
