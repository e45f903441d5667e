// The vector operations of the solvers, site by site.
#pragma once

#include <apps/wilson/operator/dirac.hpp>

namespace tasuki::wilson {

// out = in, with a conversion of the precision.
template <class To, class From>
struct Convert {
  TS_CELL void operator()(auto c, auto out, auto in) const {
    const auto from = load_site<From>(in, c);
    Spinor<Real<To>> to;
    for (int s = 0; s < kSpins; ++s)
      for (int i = 0; i < kColours; ++i)
        to.s[s].c[i] = {static_cast<Real<To>>(from.s[s].c[i].re), static_cast<Real<To>>(from.s[s].c[i].im)};
    store_site<To>(out, c, to);
  }
};
template <class To, class From>
struct Accumulate { // sum += in
  TS_CELL void operator()(auto c, auto sum, auto in) const {
    const auto from = load_site<From>(in, c);
    for (int k = 0; k < kSpinorReals; ++k) {
      const Complex<Real<From>>& z = from.s[k / 6].c[k % 6 / 2];
      sum[k](c) += static_cast<Real<To>>(k % 2 ? z.im : z.re);
    }
  }
};

struct Subtract { // r = b - a, and |r|^2
  TS_CELL void operator()(auto c, auto b, auto a, auto r, auto offers) const {
    double sum = 0;
    for (int k = 0; k < kSpinorReals; ++k) {
      const double x = b[k](c) - a[k](c);
      r[k](c) = x + 0.0;
      sum = fused(x, x, sum);
    }
    offers[0](c) = sum;
  }
};
struct Square { // |a|^2
  TS_CELL void operator()(auto c, auto a, auto offers) const {
    double sum = 0;
    for (int k = 0; k < kSpinorReals; ++k) sum = fused(a[k](c), a[k](c), sum);
    offers[0](c) = sum;
  }
};
struct Copy { // out = in
  TS_CELL void operator()(auto c, auto out, auto in) const {
    for (int k = 0; k < kSpinorReals; ++k) out[k](c) = in[k](c);
  }
};
// Copies between a column and a field of the lattice, which programs over the block do not exchange.
struct PutColumn {
  OfLattice<const double, kSpinorReals> in;
  double factor;
  TS_CELL void operator()(auto c, auto out) const {
    for (int k = 0; k < kSpinorReals; ++k) out[k](c) = factor * in[k](c) + 0.0;
  }
};
struct GetColumn {
  OfLattice<double, kSpinorReals> out;
  double factor;
  TS_CELL void operator()(auto c, auto in) const {
    for (int k = 0; k < kSpinorReals; ++k) out[k](c) = factor * in[k](c) + 0.0;
  }
};
struct Clear {
  TS_CELL void operator()(auto c, auto out) const {
    for (int k = 0; k < kSpinorReals; ++k) out[k](c) = 0;
  }
};

} // namespace tasuki::wilson
