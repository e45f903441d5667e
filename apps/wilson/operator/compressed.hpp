// A link as 18 numbers, as 12 (two rows; the third follows from SU(3)), or as 8.
//
// 8 numbers: M. A. Clark et al., Comput. Phys. Commun. 181 (2010) 1517, after Bunk and Sommer: of the rows a, b, c the
// numbers a2, a3, b1 and the phases of a1 and c1. Here the rows of the link are permuted, (row 2, row 3, row 1), so
// that a2 and a3 are not both 0 if a link is near 1. The other numbers follow from unitarity, by divisions and square
// roots that lose precision: about half of the digits if a1 is near 0.
#pragma once

#include <apps/wilson/operator/precision.hpp>

namespace tasuki::wilson {

// Calls put(k, x) for the numbers of a link, k from 0; |x| <= 1 for all of them.
template <int Numbers, class Put>
TS_HD void compress(const Matrix<double>& u, const Put& put) {
  if constexpr (Numbers == 8) {
    constexpr double kPi = 3.14159265358979323846;
    const Complex<double>*a = u.e[1], *b = u.e[2], *c = u.e[0];
    put(0, a[1].re), put(1, a[1].im), put(2, a[2].re), put(3, a[2].im), put(4, b[0].re), put(5, b[0].im);
    put(6, atan2(a[0].im, a[0].re) / kPi), put(7, atan2(c[0].im, c[0].re) / kPi);
  } else {
    for (int i = 0; i < Numbers / 6; ++i)
      for (int j = 0; j < kColours; ++j) {
        put((i * kColours + j) * 2, u.e[i][j].re);
        put((i * kColours + j) * 2 + 1, u.e[i][j].im);
      }
  }
}

template <class R>
TS_HD Complex<R> of_length_and_phase(R square, R phase_of_pi) {
  const R length = square > 0 ? std::sqrt(square) : R(0);
  const R angle = phase_of_pi * R(3.14159265358979323846);
  return {length * std::cos(angle), length * std::sin(angle)};
}

// The link with the numbers get(k) of compress().
template <int Numbers, class R, class Get>
TS_HD Matrix<R> expand(const Get& get) {
  if constexpr (Numbers == 18) {
    return load_matrix<R>(get);
  } else if constexpr (Numbers == 12) {
    Matrix<R> u;
    WILSON_UNROLL
    for (int i = 0; i < 2; ++i) WILSON_UNROLL
    for (int j = 0; j < kColours; ++j) {
      const int k = (i * kColours + j) * 2;
      u.e[i][j] = {get(k), get(k + 1)};
    }
    complete(u);
    return u;
  } else {
    const Complex<R> a2{get(0), get(1)}, a3{get(2), get(3)}, b1{get(4), get(5)};
    const R rest = norm2(a2) + norm2(a3);
    const Complex<R> a1 = of_length_and_phase(R(1) - rest, get(6));
    const Complex<R> c1 = of_length_and_phase(R(1) - norm2(a1) - norm2(b1), get(7));
    const R by = R(-1) / rest;
    const Complex<R> a1b1 = conj(a1) * b1, c1c = conj(c1);
    const Complex<R> b2 = by * multiply_add(a1b1, a2, conj(a3) * c1c);
    const Complex<R> b3 = by * (a1b1 * a3 - conj(a2) * c1c);
    const Complex<R> c2 = conj(a3 * b1 - a1 * b3), c3 = conj(a1 * b2 - a2 * b1);
    return {{{c1, c2, c3}, {a1, a2, a3}, {b1, b2, b3}}};
  }
}

// From a field of links, `Numbers` per direction.
template <class S, int Numbers, class V, class C, class... By>
TS_HD Matrix<Real<S>> load_link(const V& links, int mu, const C& c, By... by) {
  constexpr bool kFixed = std::is_same_v<S, Half>;
  return expand<Numbers, Real<S>>([&](int k) {
    const auto x = static_cast<Real<S>>(links[mu * Numbers + k](c, by...));
    return kFixed ? x * (Real<S>(1) / static_cast<Real<S>>(kLinkScale)) : x;
  });
}

} // namespace tasuki::wilson
