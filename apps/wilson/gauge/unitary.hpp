// SU(3) matrices: the deviation from the group, and the projection onto it.
#pragma once

#include <apps/wilson/lattice/su3.hpp>

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

// Sums over a row, without a loop, which would prevent the vectorisation over cells.
template <class R>
TS_HD R norm2(const Complex<R> (&row)[kColours]) {
  return norm2(row[0]) + norm2(row[1]) + norm2(row[2]);
}
template <class R>
TS_HD void scale(Complex<R> (&row)[kColours], R by) {
  row[0] = by * row[0];
  row[1] = by * row[1];
  row[2] = by * row[2];
}

// The SU(3) matrix whose first row is that of a, normalised, and whose second is a's, orthogonalised to the first.
template <class R>
TS_HD Matrix<R> unitarised(Matrix<R> a) {
  auto &first = a.e[0], &second = a.e[1];
  scale(first, R(1) / sqrt(norm2(first)));
  const Complex<R> along = conj_multiply_add(
      first[0], second[0], conj_multiply_add(first[1], second[1], conj(first[2]) * second[2]));
  second[0] = multiply_add(-along, first[0], second[0]);
  second[1] = multiply_add(-along, first[1], second[1]);
  second[2] = multiply_add(-along, first[2], second[2]);
  scale(second, R(1) / sqrt(norm2(second)));
  complete(a);
  return a;
}

// The largest absolute real or imaginary part in a a^dagger - 1; NaN if a has one.
template <class R>
TS_HD R beside_unitary(const Matrix<R>& a) {
  const Matrix<R> b = a * adjoint(a);
  R most = 0;
  for (int i = 0; i < kColours; ++i)
    for (int j = 0; j < kColours; ++j) {
      const R re = fabs(b.e[i][j].re - (i == j ? R(1) : R(0))), im = fabs(b.e[i][j].im);
      most = re <= most ? most : re; // a NaN in re is kept
      most = im <= most || most != most ? most : im;
    }
  return most;
}

// exp(i h) for a traceless Hermitian h, projected onto the group: the series of h / 2^halvings, repeatedly squared.
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
