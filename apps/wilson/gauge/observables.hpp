// Observables of a gauge field. Sums are exact except for a final rounding: the same bits on any number of ranks.
// All functions are collective.
#pragma once

#include <apps/wilson/gauge/gauge.hpp>

#include <array>
#include <complex>

namespace tasuki::wilson {

// Mean of Re tr U_p / 3 over the plaquettes: all six planes, the three spatial ones, the three with time.
struct Plaquette {
  double all = 0, space = 0, time = 0;
};
Plaquette plaquette(const Gauge& gauge);

// Mean over space of tr U_t(x, 0) U_t(x, 1) .. U_t(x, T-1) / 3.
std::complex<double> polyakov(const Gauge& gauge);

// Mean of Re tr U / 3 over all links.
double link_trace(const Gauge& gauge);

// The largest deviation of links from SU(3), and its position: the first such link of the even sites, then of the odd.
struct Deviation {
  double value = 0; // NaN if a link has one
  std::array<long, kAxes> site{};
  int mu = 0;
};
struct GaugeCheck {
  Deviation unitarity;   // the largest absolute real or imaginary part in U U^dagger - 1
  Deviation determinant; // |det U - 1|
  bool within(double tolerance) const;
};
GaugeCheck check(const Gauge& gauge);

} // namespace tasuki::wilson
