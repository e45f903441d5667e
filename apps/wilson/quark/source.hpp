// The source of a propagator: a point, a wall, or a smeared point.
#pragma once

#include <apps/wilson/gauge/gauge.hpp>
#include <apps/wilson/lattice/spinor_field.hpp>

#include <array>

namespace tasuki::wilson {

enum class SourceKind { point, wall, gaussian };

struct SourceShape {
  SourceKind kind = SourceKind::point;
  std::array<long, kAxes> at{}; // x, y, z, t; for a wall only t is used
  double width = 2;             // of gaussian, in sites; see smear.hpp
  long steps = 5;

  // The site of the correlator's t = 0, from which phases across the boundary are counted.
  std::array<long, kAxes> origin() const {
    return kind == SourceKind::wall ? std::array<long, kAxes>{0, 0, 0, at[3]} : at;
  }
};

// The twelve sources of a propagator. The colour vectors are the same for each spin, so they are computed once.
class Source {
public:
  // Collective.
  Source(const Gauge& gauge, const SourceShape& shape);

  // b: the source of a column, with one non-zero spin. Collective.
  void column(int spin, int colour, SpinorField& b) const;

private:
  SpinorField vectors_; // spin c holds the colour vectors of the source with initial colour c
};

} // namespace tasuki::wilson
