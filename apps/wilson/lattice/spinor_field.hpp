// A spinor on every site of a lattice, in double precision, for sources and solutions.
#pragma once

#include <apps/wilson/lattice/lattice.hpp>
#include <apps/wilson/lattice/su3.hpp>

#include <array>
#include <string>
#include <vector>

namespace tasuki::wilson {

using SpinorPlanes = Field<double[kSpinorReals]>; // of one parity

// A handle: a copy refers to the same numbers. Initially zero. Collective.
struct SpinorField {
  std::array<SpinorPlanes, 2> parity; // even, odd

  SpinorField(const Lattice& lattice, const std::string& name)
      : parity{SpinorPlanes(lattice.grid(), name + " even"), SpinorPlanes(lattice.grid(), name + " odd")} {}

  // This rank's spinors in site order, 24 doubles per site. The second function throws Error if the number differs.
  std::vector<double> to_sites(const Lattice& lattice) const;
  void from_sites(const Lattice& lattice, const std::vector<double>& spinors);
};

} // namespace tasuki::wilson
