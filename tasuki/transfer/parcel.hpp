// A parcel: a box of bytes that goes from one rank to another.
#pragma once

#include <tasuki/device/copy.hpp>
#include <tasuki/route/route.hpp>

namespace tasuki {

// Both ends list a parcel, with the same ranks, route and number of bytes;
// and they list the parcels from one rank to another in the same order.
struct Parcel {
  int from = 0, to = 0; // ranks: this one is one of them, or both
  Route route;
  // In the sender's memory; given by the sender.
  Strided sent{};
  // In the receiver's memory, with the same run and counts. Given by the receiver, and,
  // if needs_landing(route), also by the sender, at its own address for that memory.
  Strided landing{};
};

} // namespace tasuki
