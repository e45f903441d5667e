// A codec lists the components of a cell that travel into a neighbour's halo, if not all of them do.
//
//   ts::Codec codec;
//   codec.terms[0][0] = {{.to = 0, .from = 0}};                        // halo below x: component 0 alone
//   codec.terms[0][1] = {{.to = 0, .from = 0, .with = 1, .sign = -1}}; // halo above x: component 0 minus component 1
//   ts::Field<float[2]> a(grid, "a", std::make_shared<const ts::Codec>(codec));
#pragma once

#include <tasuki/base/box.hpp>

#include <array>
#include <vector>

namespace tasuki {

// Component `to` of a halo cell becomes component `from` of the owner's
// cell, plus component `with` if sign is 1, minus it if sign is -1.
struct WireTerm {
  int to = 0, from = 0, with = -1, sign = 0;
  friend bool operator==(const WireTerm&, const WireTerm&) = default;
};

// The terms of the halo cells by axis and side: [axis][0] for those below the block, [axis][1] for those
// above. A component that no term names keeps its value, initially 0. A sweep reads such a halo cell like
// any other cell; its result is correct if it depends on these sums only: (1 - gamma) psi of lattice QCD is
// the same from psi as from its upper half with the sum in it. The halo is one cell deep and has no corners.
struct Codec {
  std::array<std::array<std::vector<WireTerm>, 2>, kMaxDims> terms;
  friend bool operator==(const Codec&, const Codec&) = default;
};

} // namespace tasuki
