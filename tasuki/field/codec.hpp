// What of a cell travels into a neighbour's halo, where that is less than all of it.
#pragma once

#include <tasuki/base/box.hpp>

#include <array>
#include <vector>

namespace tasuki {

// Component `to` of a halo cell becomes component `from` of its owner; plus component `with` where sign is 1, less it
// where sign is -1.
struct WireTerm {
  int to = 0, from = 0, with = -1, sign = 0;
  friend bool operator==(const WireTerm&, const WireTerm&) = default;
};

// For each axis and side what the halo cells there hold: [axis][0] those below the block, [axis][1] those above. What no
// term names stays as it was, 0 at first. A sweep reads such a halo as it reads the cell itself and is right where it
// uses nothing but these sums: (1 - gamma) psi of lattice QCD is the same from psi and from its upper half with the sum
// in it. A halo is one cell deep, without corners.
struct Codec {
  std::array<std::array<std::vector<WireTerm>, 2>, kMaxDims> terms;
  friend bool operator==(const Codec&, const Codec&) = default;
};

} // namespace tasuki
