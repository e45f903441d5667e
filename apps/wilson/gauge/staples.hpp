// What surrounds a link: the sum of the six ways round, so that Re tr U S sums the plaquettes that hold U.
#pragma once

#include <apps/wilson/gauge/gauge.hpp>

namespace tasuki::wilson {

// The sweep that writes into `staples`, of the links along mu that leave the sites of one parity,
//   S = sum over nu != mu of weight(nu) [ U_nu(n+mu) U_mu(n+nu)^+ U_nu(n)^+ + U_nu(n+mu-nu)^+ U_mu(n-nu)^+ U_nu(n-nu) ].
// The weight is the anisotropy in planes with time, 1 / anisotropy in those of space. It does not read the links that it
// surrounds.
Sweep staples_of(const Gauge& gauge, double anisotropy, int parity, int mu, const MatrixField& staples);
// The same along Mu, 0 to 3: what a source of its own is made for.
template <int Mu>
Sweep staples_along(const Gauge& gauge, double anisotropy, int parity, const MatrixField& staples);

} // namespace tasuki::wilson
