// Matrices of SU(3): how far one is from the group, and back into it.
#pragma once

#include <apps/wilson/su3.hpp>

namespace tasuki::wilson {

template <class R>
TS_HD Complex<R> determinant(const Matrix<R>& a) {
  Complex<R> sum{};
  for (int j = 0; j < kColours; ++j) {
    const int k = (j + 1) % kColours, l = (j + 2) % kColours;
    sum = multiply_add(multiply_add(a.e[1][k], a.e[2][l], -(a.e[1][l] * a.e[2][k])), a.e[0][j], sum);
  }
  return sum;
}

// The matrix of SU(3) with a's first row, made of length 1, and of its second what is orthogonal to the first.
template <class R>
TS_HD Matrix<R> unitarised(Matrix<R> a) {
  R n = 0;
  for (int j = 0; j < kColours; ++j) n += norm2(a.e[0][j]);
  n = R(1) / sqrt(n);
  for (int j = 0; j < kColours; ++j) a.e[0][j] = n * a.e[0][j];
  Complex<R> along{};
  for (int j = 0; j < kColours; ++j) along = conj_multiply_add(a.e[0][j], a.e[1][j], along);
  for (int j = 0; j < kColours; ++j) a.e[1][j] = multiply_add(-along, a.e[0][j], a.e[1][j]);
  n = 0;
  for (int j = 0; j < kColours; ++j) n += norm2(a.e[1][j]);
  n = R(1) / sqrt(n);
  for (int j = 0; j < kColours; ++j) a.e[1][j] = n * a.e[1][j];
  complete(a);
  return a;
}

// The largest real in a a^dagger - 1; NaN where one is in a.
template <class R>
TS_HD R beside_unitary(const Matrix<R>& a) {
  const Matrix<R> b = a * adjoint(a);
  R most = 0;
  for (int i = 0; i < kColours; ++i)
    for (int j = 0; j < kColours; ++j) {
      const R re = fabs(b.e[i][j].re - (i == j ? R(1) : R(0))), im = fabs(b.e[i][j].im);
      most = re <= most ? most : re; // also where re is NaN, which stays
      most = im <= most || most != most ? most : im;
    }
  return most;
}

// exp(i h) of a Hermitian h without trace, back in the group: the series of h / 2^halvings, squared as often.
template <class R>
TS_HD Matrix<R> exponential(const Matrix<R>& h, int halvings) {
  R scale = 1;
  for (int k = 0; k < halvings; ++k) scale *= R(0.5);
  Matrix<R> x = Matrix<R>::one();
  for (int n = 16; n > 0; --n) { // 1 + ih/1 (1 + ih/2 (1 + ..))
    x = h * x;
    for (int i = 0; i < kColours; ++i)
      for (int j = 0; j < kColours; ++j) x.e[i][j] = times_i((scale / R(n)) * x.e[i][j]);
    for (int i = 0; i < kColours; ++i) x.e[i][i].re += R(1);
  }
  for (int k = 0; k < halvings; ++k) x = x * x;
  return unitarised(x);
}

} // namespace tasuki::wilson
