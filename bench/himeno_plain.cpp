// The Himeno benchmark in plain OpenMP C, as it is usually written for a processor of several cores.
#include <bench/plain.hpp>

namespace tasuki::bench::plain {
namespace {

// ss of one cell; n: k's, row: j's and plane: i's step.
inline __attribute__((always_inline)) float correction(const HimenoArrays& m, const float* __restrict__ p,
                                                       long n, long row, long plane) {
  const float s0 =
      m.a[0][n] * p[n + plane] + m.a[1][n] * p[n + row] + m.a[2][n] * p[n + 1] +
      m.b[0][n] * (p[n + plane + row] - p[n + plane - row] - p[n - plane + row] + p[n - plane - row]) +
      m.b[1][n] * (p[n + row + 1] - p[n - row + 1] - p[n + row - 1] + p[n - row - 1]) +
      m.b[2][n] * (p[n + plane + 1] - p[n - plane + 1] - p[n + plane - 1] + p[n - plane - 1]) +
      m.c[0][n] * p[n - plane] + m.c[1][n] * p[n - row] + m.c[2][n] * p[n - 1] + m.wrk1[n];
  return (s0 * m.a[3][n] - p[n]) * m.bnd[n];
}

} // namespace

void himeno(const HimenoArrays& arrays, const float* __restrict__ p, float* __restrict__ wrk2, long imax,
            long jmax, long kmax) {
  const HimenoArrays m = arrays;
#pragma omp parallel for
  for (long i = 1; i < imax - 1; ++i)
    for (long j = 1; j < jmax - 1; ++j) {
      const long first = (i * jmax + j) * kmax;
#pragma omp simd
      for (long k = 1; k < kmax - 1; ++k)
        wrk2[first + k] = p[first + k] + 0.8f * correction(m, p, first + k, kmax, kmax * jmax);
    }
}

float himeno_original(const HimenoArrays& arrays, float* __restrict__ p, float* __restrict__ wrk2, long imax,
                      long jmax, long kmax) {
  const HimenoArrays m = arrays;
  float gosa = 0;
#pragma omp parallel for reduction(+ : gosa)
  for (long i = 1; i < imax - 1; ++i)
    for (long j = 1; j < jmax - 1; ++j) {
      const long first = (i * jmax + j) * kmax;
#pragma omp simd reduction(+ : gosa)
      for (long k = 1; k < kmax - 1; ++k) {
        const float ss = correction(m, p, first + k, kmax, kmax * jmax);
        gosa += ss * ss;
        wrk2[first + k] = p[first + k] + 0.8f * ss;
      }
    }
#pragma omp parallel for
  for (long i = 1; i < imax - 1; ++i)
    for (long j = 1; j < jmax - 1; ++j)
      for (long k = 1; k < kmax - 1; ++k) p[(i * jmax + j) * kmax + k] = wrk2[(i * jmax + j) * kmax + k];
  return gosa;
}

} // namespace tasuki::bench::plain
