// The sweep over the links of one axis. One source per axis includes this header (staples_along.cpp.in), compiled for
// every device: a single source for all four takes two minutes to compile.
#pragma once

#include <apps/wilson/gauge/staples.hpp>
#include <apps/wilson/lattice/hops.hpp>

namespace tasuki::wilson {
namespace detail {

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

  // The fields along the other axes of the same parity, and those along all axes of the other parity.
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

} // namespace detail

template <int Mu>
Sweep staples_along(const Gauge& gauge, double anisotropy, int parity, const MatrixField& staples) {
  constexpr int kOthers[kAxes][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
  detail::Staples<Mu> f{parity, {}};
  for (int nu = 0; nu < kAxes; ++nu) f.weight[nu] = Mu == 3 || nu == 3 ? anisotropy : 1 / anisotropy;
  const auto same = [&](int k) { return reads(gauge.link(parity, kOthers[Mu][k]), edges(1)); };
  const auto other = [&](int nu) { return reads(gauge.link(1 - parity, nu), star(1)); };
  return tasuki::sweep(f, gauge.lattice().grid().all(), same(0), same(1), same(2), other(0), other(1),
                       other(2), other(3), writes(staples));
}

} // namespace tasuki::wilson
