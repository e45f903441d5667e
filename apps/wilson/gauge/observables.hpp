// What is measured on a gauge field. Sums are exact to their last rounding, so the same bits on any number of ranks.
// All of it collective.
#pragma once

#include <apps/wilson/gauge/gauge.hpp>

#include <array>
#include <complex>

namespace tasuki::wilson {

// Mean of Re tr U_p / 3 over the plaquettes: all six planes, the three of space alone, the three with time.
struct Plaquette {
  double all = 0, space = 0, time = 0;
};
Plaquette plaquette(const Gauge& gauge);

// Mean over space of tr U_t(x, 0) U_t(x, 1) .. U_t(x, T-1) / 3.
std::complex<double> polyakov(const Gauge& gauge);

// Mean of Re tr U / 3 over all links.
double link_trace(const Gauge& gauge);

// How far links are from SU(3), and where they are furthest: the first such link of the even sites, then of the odd.
struct Deviation {
  double value = 0; // NaN where a link holds one
  std::array<long, kAxes> site{};
  int mu = 0;
};
struct GaugeCheck {
  Deviation unitarity;   // the largest real of U U^dagger - 1
  Deviation determinant; // |det U - 1|
  bool within(double tolerance) const;
};
GaugeCheck check(const Gauge& gauge);

} // namespace tasuki::wilson
