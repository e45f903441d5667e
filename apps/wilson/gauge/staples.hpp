// What surrounds a link: the sum of the six ways round, so that Re tr U S sums the plaquettes that hold U.
#pragma once

#include <apps/wilson/gauge/gauge.hpp>
#include <apps/wilson/lattice/hops.hpp>

namespace tasuki::wilson {

// Of the links along Mu that leave the sites of one parity:
//   S = sum over nu != Mu of weight(nu) [ U_nu(n+Mu) U_Mu(n+nu)^+ U_nu(n)^+ + U_nu(n+Mu-nu)^+ U_Mu(n-nu)^+ U_nu(n-nu) ].
// It does not read the links that it surrounds.
template <int Mu>
struct Staples {
  int parity;
  double weight[kAxes]; // of the plane of Mu and nu

  template <int Nu>
  TS_HD void add(Matrix<double>& sum, const auto& c, const auto& u_nu, const auto& next_mu,
                 const auto& next_nu) const {
    const Hop here = Hop::from(c, parity);
    const Matrix<double> above =
        load(next_nu, c, here.forward(Mu)) * adjoint(load(u_nu, c) * load(next_mu, c, here.forward(Nu)));
    const Hop below = here.backward(Nu);
    const Matrix<double> beneath =
        adjoint(load(next_mu, c, below) * load(u_nu, c, here.forward(Mu).backward(Nu))) *
        load(next_nu, c, below);
    for (int i = 0; i < kColours; ++i)
      for (int j = 0; j < kColours; ++j)
        sum.e[i][j] = sum.e[i][j] + weight[Nu] * (above.e[i][j] + beneath.e[i][j]);
  }

  // The fields along the other axes, of the same parity; those along all axes, of the other.
  TS_CELL void operator()(auto c, auto a, auto b, auto d, auto x, auto y, auto z, auto t,
                          auto staples) const {
    Matrix<double> sum{};
    if constexpr (Mu == 0) {
      add<1>(sum, c, a, x, y);
      add<2>(sum, c, b, x, z);
      add<3>(sum, c, d, x, t);
    } else if constexpr (Mu == 1) {
      add<0>(sum, c, a, y, x);
      add<2>(sum, c, b, y, z);
      add<3>(sum, c, d, y, t);
    } else if constexpr (Mu == 2) {
      add<0>(sum, c, a, z, x);
      add<1>(sum, c, b, z, y);
      add<3>(sum, c, d, z, t);
    } else {
      add<0>(sum, c, a, t, x);
      add<1>(sum, c, b, t, y);
      add<2>(sum, c, d, t, z);
    }
    store(staples, c, sum);
  }
};

} // namespace tasuki::wilson
