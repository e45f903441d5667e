#include <bench/plain.hpp>

namespace tasuki::bench::plain {

void copy(double* __restrict__ a, const double* __restrict__ b, long n) {
#pragma omp parallel for simd
  for (long i = 0; i < n; ++i) a[i] = b[i];
}

void triad(double* __restrict__ a, const double* __restrict__ b, const double* __restrict__ c, long n) {
#pragma omp parallel for simd
  for (long i = 0; i < n; ++i) a[i] = b[i] + 0.5 * c[i];
}

void laplace(const float* __restrict__ u, float* __restrict__ v, long nx, long ny) {
#pragma omp parallel for
  for (long y = 1; y < ny - 1; ++y)
    for (long x = 1; x < nx - 1; ++x) {
      const long i = y * nx + x;
      v[i] = 0.25f * (u[i + 1] + u[i - 1] + u[i + nx] + u[i - nx]);
    }
}

void diffusion(const double* __restrict__ u, double* __restrict__ v, long nx, long ny, long nz, double r) {
#pragma omp parallel for collapse(2)
  for (long z = 0; z < nz; ++z)
    for (long y = 0; y < ny; ++y) {
      const double* row = u + (z * ny + y) * nx;
      const double* north = u + (z * ny + (y + 1 < ny ? y + 1 : 0)) * nx;
      const double* south = u + (z * ny + (y > 0 ? y - 1 : ny - 1)) * nx;
      const double* above = u + ((z + 1 < nz ? z + 1 : 0) * ny + y) * nx;
      const double* below = u + ((z > 0 ? z - 1 : nz - 1) * ny + y) * nx;
      double* out = v + (z * ny + y) * nx;
      const auto cell = [&](long x, long west, long east) {
        out[x] =
            row[x] + r * (row[east] + row[west] + north[x] + south[x] + above[x] + below[x] - 6 * row[x]);
      };
      cell(0, nx - 1, 1);
#pragma omp simd
      for (long x = 1; x < nx - 1; ++x)
        out[x] =
            row[x] + r * (row[x + 1] + row[x - 1] + north[x] + south[x] + above[x] + below[x] - 6 * row[x]);
      cell(nx - 1, nx - 2, 0);
    }
}

} // namespace tasuki::bench::plain
