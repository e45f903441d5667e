// Complex numbers, colour vectors, colour matrices and spinors as plain values, for host and GPU.
//
// Products and sums use fused multiply-add if the processor has it. The bits of a field are therefore the same on any
// number of devices of one kind, but differ between kinds.
#pragma once

#include <tasuki/device/fast.hpp>

#include <cmath>

// Unrolls a loop over spins, colours or components completely; otherwise GCC does not vectorise the loop over cells.
#if defined(__CUDA_ARCH__)
#define WILSON_UNROLL _Pragma("unroll")
#else
#define WILSON_UNROLL _Pragma("GCC unroll 24")
#endif
#if defined(__CUDACC__)
#pragma nv_diag_suppress 1675 // nvcc passes that pragma on to GCC with a warning
#endif

namespace tasuki::wilson {

inline constexpr int kColours = 3, kSpins = 4;
inline constexpr int kSpinorReals = 24; // k = (spin * 3 + colour) * 2 + (0: real, 1: imaginary part)
inline constexpr int kMatrixReals = 18; // k = (row * 3 + column) * 2 + ..

template <class R>
struct Complex {
  R re, im;

  friend TS_HD Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
  friend TS_HD Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
  friend TS_HD Complex operator-(Complex a) { return {-a.re, -a.im}; }
  friend TS_HD Complex operator*(R s, Complex a) { return {s * a.re, s * a.im}; }
  friend TS_HD Complex operator*(Complex a, Complex b) {
    return {fused(a.re, b.re, -(a.im * b.im)), fused(a.re, b.im, a.im * b.re)};
  }
};

template <class R>
TS_HD Complex<R> conj(Complex<R> a) {
  return {a.re, -a.im};
}
template <class R>
TS_HD Complex<R> times_i(Complex<R> a) {
  return {-a.im, a.re};
}
template <class R>
TS_HD R norm2(Complex<R> a) {
  return fused(a.re, a.re, a.im * a.im);
}
// a b + c
template <class R>
TS_HD Complex<R> multiply_add(Complex<R> a, Complex<R> b, Complex<R> c) {
  return {fused(-a.im, b.im, fused(a.re, b.re, c.re)), fused(a.im, b.re, fused(a.re, b.im, c.im))};
}
// conj(a) b + c
template <class R>
TS_HD Complex<R> conj_multiply_add(Complex<R> a, Complex<R> b, Complex<R> c) {
  return {fused(a.im, b.im, fused(a.re, b.re, c.re)), fused(-a.im, b.re, fused(a.re, b.im, c.im))};
}

template <class R>
struct Vector { // a colour vector
  Complex<R> c[kColours];

  friend TS_HD Vector operator+(const Vector& a, const Vector& b) {
    return {{a.c[0] + b.c[0], a.c[1] + b.c[1], a.c[2] + b.c[2]}};
  }
  friend TS_HD Vector operator-(const Vector& a, const Vector& b) {
    return {{a.c[0] - b.c[0], a.c[1] - b.c[1], a.c[2] - b.c[2]}};
  }
  friend TS_HD Vector operator*(R s, const Vector& a) { return {{s * a.c[0], s * a.c[1], s * a.c[2]}}; }
};
template <class R>
TS_HD Vector<R> times_i(const Vector<R>& a) {
  return {{times_i(a.c[0]), times_i(a.c[1]), times_i(a.c[2])}};
}

template <class R>
struct Matrix { // 3 x 3
  Complex<R> e[kColours][kColours];

  static TS_HD Matrix zero() { return {}; }
  static TS_HD Matrix one() {
    Matrix m{};
    WILSON_UNROLL
    for (int i = 0; i < kColours; ++i) m.e[i][i].re = 1;
    return m;
  }
  friend TS_HD Matrix operator+(const Matrix& a, const Matrix& b) {
    Matrix m;
    WILSON_UNROLL
    for (int i = 0; i < kColours; ++i) WILSON_UNROLL
    for (int j = 0; j < kColours; ++j) m.e[i][j] = a.e[i][j] + b.e[i][j];
    return m;
  }
  friend TS_HD Matrix operator*(const Matrix& a, const Matrix& b) {
    Matrix m; // by rows: three nested loops would not be unrolled, which prevents vectorisation over cells
    m.take_row(0, a, b);
    m.take_row(1, a, b);
    m.take_row(2, a, b);
    return m;
  }

private:
  TS_HD void take_row(int i, const Matrix& a, const Matrix& b) { // of the product a b
    WILSON_UNROLL
    for (int j = 0; j < kColours; ++j)
      e[i][j] = multiply_add(a.e[i][2], b.e[2][j], multiply_add(a.e[i][1], b.e[1][j], a.e[i][0] * b.e[0][j]));
  }
};

template <class R>
TS_HD Matrix<R> adjoint(const Matrix<R>& a) {
  Matrix<R> m;
  WILSON_UNROLL
  for (int i = 0; i < kColours; ++i) WILSON_UNROLL
  for (int j = 0; j < kColours; ++j) m.e[i][j] = conj(a.e[j][i]);
  return m;
}
template <class R>
TS_HD Complex<R> trace(const Matrix<R>& a) {
  return a.e[0][0] + a.e[1][1] + a.e[2][2];
}
// The third row of a matrix of SU(3): the conjugate of the cross product of the first two.
template <class R>
TS_HD void complete(Matrix<R>& a) {
  const auto cross = [&](int k, int l) { // no loop: see the product above
    return conj(multiply_add(a.e[0][k], a.e[1][l], -(a.e[0][l] * a.e[1][k])));
  };
  a.e[2][0] = cross(1, 2);
  a.e[2][1] = cross(2, 0);
  a.e[2][2] = cross(0, 1);
}
// a v, and the adjoint of a, times v.
template <class R>
TS_HD Vector<R> multiply(const Matrix<R>& a, const Vector<R>& v) {
  Vector<R> w;
  WILSON_UNROLL
  for (int i = 0; i < kColours; ++i)
    w.c[i] = multiply_add(a.e[i][2], v.c[2], multiply_add(a.e[i][1], v.c[1], a.e[i][0] * v.c[0]));
  return w;
}
template <class R>
TS_HD Vector<R> adjoint_multiply(const Matrix<R>& a, const Vector<R>& v) {
  Vector<R> w;
  WILSON_UNROLL
  for (int i = 0; i < kColours; ++i)
    w.c[i] =
        conj_multiply_add(a.e[2][i], v.c[2], conj_multiply_add(a.e[1][i], v.c[1], conj(a.e[0][i]) * v.c[0]));
  return w;
}

template <class R>
struct Spinor {
  Vector<R> s[kSpins];
};

// From the planes of a field: load(k) is the k-th real.
template <class R, class Load>
TS_HD Vector<R> load_vector(const Load& load, int first) {
  Vector<R> v;
  WILSON_UNROLL
  for (int c = 0; c < kColours; ++c) v.c[c] = {load(first + 2 * c), load(first + 2 * c + 1)};
  return v;
}
template <class R, class Load>
TS_HD Spinor<R> load_spinor(const Load& load) {
  return {
      {load_vector<R>(load, 0), load_vector<R>(load, 6), load_vector<R>(load, 12), load_vector<R>(load, 18)}};
}
template <class R, class Load>
TS_HD Matrix<R> load_matrix(const Load& load, int first = 0) {
  Matrix<R> m;
  WILSON_UNROLL
  for (int i = 0; i < kColours; ++i) WILSON_UNROLL
  for (int j = 0; j < kColours; ++j) {
    const int k = first + (i * kColours + j) * 2;
    m.e[i][j] = {load(k), load(k + 1)};
  }
  return m;
}
// store(k, value)
template <class R, class Store>
TS_HD void store_spinor(const Spinor<R>& spinor, const Store& store) {
  WILSON_UNROLL
  for (int s = 0; s < kSpins; ++s) WILSON_UNROLL
  for (int c = 0; c < kColours; ++c) {
    store((s * kColours + c) * 2, spinor.s[s].c[c].re);
    store((s * kColours + c) * 2 + 1, spinor.s[s].c[c].im);
  }
}
template <class R, class Store>
TS_HD void store_matrix(const Matrix<R>& m, const Store& store, int first = 0) {
  WILSON_UNROLL
  for (int i = 0; i < kColours; ++i) WILSON_UNROLL
  for (int j = 0; j < kColours; ++j) {
    const int k = first + (i * kColours + j) * 2;
    store(k, m.e[i][j].re);
    store(k + 1, m.e[i][j].im);
  }
}

} // namespace tasuki::wilson
