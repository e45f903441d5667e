// What solvers do with vectors, site by site.
#pragma once

#include <apps/wilson/dirac.hpp>

namespace tasuki::wilson {

// out = in, in another precision.
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
} // namespace tasuki::wilson
