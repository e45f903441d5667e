// What a propagator starts from: a point, a wall, or a point that was smeared.
#pragma once

#include <apps/wilson/gauge/gauge.hpp>
#include <apps/wilson/lattice/spinor_field.hpp>

#include <array>

namespace tasuki::wilson {

enum class SourceKind { point, wall, gaussian };

struct SourceShape {
  SourceKind kind = SourceKind::point;
  std::array<long, kAxes> at{}; // x, y, z, t; of a wall, t alone counts
  double width = 2;             // of gaussian, in sites; see smear.hpp
  long steps = 5;

  // Where the correlator's t = 0 is, and from where it is counted across the boundary.
  std::array<long, kAxes> origin() const {
    return kind == SourceKind::wall ? std::array<long, kAxes>{0, 0, 0, at[3]} : at;
  }
};

// The twelve sources of a propagator. What belongs to a colour is the same for each spin, so it is made once.
class Source {
public:
  // Collective.
  Source(const Gauge& gauge, const SourceShape& shape);

  // b: the source of a column, which has one spin. Collective.
  void column(int spin, int colour, SpinorField& b) const;

private:
  SpinorField vectors_; // in place of spin c the colour vectors of the source that began as colour c
};

} // namespace tasuki::wilson
