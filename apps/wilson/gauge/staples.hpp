// The staples of a link: the sum of the six paths around it, so that Re tr U S sums the plaquettes that contain U.
#pragma once

#include <apps/wilson/gauge/gauge.hpp>

namespace tasuki::wilson {

// The sweep that writes to `staples`, for the links along mu from the sites of one parity,
//   S = sum over nu != mu of weight(nu) [ U_nu(n+mu) U_mu(n+nu)^+ U_nu(n)^+ + U_nu(n+mu-nu)^+ U_mu(n-nu)^+ U_nu(n-nu) ].
// The weight is the anisotropy in planes with time, and 1 / anisotropy in spatial planes. The sweep does not read the
// links themselves.
Sweep staples_of(const Gauge& gauge, double anisotropy, int parity, int mu, const MatrixField& staples);
// The same for a constant Mu from 0 to 3, each in a separate source.
template <int Mu>
Sweep staples_along(const Gauge& gauge, double anisotropy, int parity, const MatrixField& staples);

} // namespace tasuki::wilson
