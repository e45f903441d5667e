// The stencils and streams by hand on a GPU: one cell a thread.
#include <apps/himeno/himeno.hpp>
#include <bench/bench.hpp>
#include <bench/plain.hpp>
#include <bench/plain_cuda.hpp>

#include <cuda_runtime.h>

#include <string>
#include <utility>

namespace tasuki::bench {
namespace {

__global__ void copy_kernel(double2* __restrict__ a, const double2* __restrict__ b, long n) {
  const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) a[i] = b[i];
}

__global__ void triad_kernel(double2* __restrict__ a, const double2* __restrict__ b,
                             const double2* __restrict__ c, long n) {
  const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) a[i] = {b[i].x + 0.5 * c[i].x, b[i].y + 0.5 * c[i].y};
}

__global__ void laplace_kernel(const float* __restrict__ u, float* __restrict__ v, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= nx - 1 || y >= ny - 1) return;
  const long i = static_cast<long>(y) * nx + x;
  v[i] = 0.25f * (u[i + 1] + u[i - 1] + u[i + nx] + u[i - nx]);
}

struct HimenoPointers {
  const float *a[4], *b[3], *c[3], *bnd, *wrk1;
};

template <bool Gosa>
__global__ void himeno_kernel(const HimenoPointers m, const float* __restrict__ p, float* __restrict__ wrk2,
                              double* __restrict__ gosa, int imax, int jmax, int kmax) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x + 1, j = blockIdx.y * blockDim.y + threadIdx.y + 1,
            i = blockIdx.z + 1;
  double mine = 0;
  if (k < kmax - 1 && j < jmax - 1) {
    const long row = kmax, plane = static_cast<long>(kmax) * jmax, n = i * plane + j * row + k;
    const float s0 =
        __ldg(m.a[0] + n) * p[n + plane] + __ldg(m.a[1] + n) * p[n + row] + __ldg(m.a[2] + n) * p[n + 1] +
        __ldg(m.b[0] + n) *
            (p[n + plane + row] - p[n + plane - row] - p[n - plane + row] + p[n - plane - row]) +
        __ldg(m.b[1] + n) * (p[n + row + 1] - p[n - row + 1] - p[n + row - 1] + p[n - row - 1]) +
        __ldg(m.b[2] + n) * (p[n + plane + 1] - p[n - plane + 1] - p[n + plane - 1] + p[n - plane - 1]) +
        __ldg(m.c[0] + n) * p[n - plane] + __ldg(m.c[1] + n) * p[n - row] + __ldg(m.c[2] + n) * p[n - 1] +
        __ldg(m.wrk1 + n);
    const float ss = (s0 * __ldg(m.a[3] + n) - p[n]) * __ldg(m.bnd + n);
    wrk2[n] = p[n] + 0.8f * ss;
    mine = ss * ss;
  }
  if constexpr (Gosa) {
    __shared__ double warps[8];
    for (int by = 16; by > 0; by /= 2) mine += __shfl_down_sync(0xffffffffu, mine, by);
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    if (thread % 32 == 0) warps[thread / 32] = mine;
    __syncthreads();
    if (thread == 0) {
      for (int w = 1; w < 8; ++w) mine += warps[w];
      atomicAdd(gosa, mine);
    }
  }
}

__global__ void diffusion_kernel(const double* __restrict__ u, double* __restrict__ v, int nx, int ny, int nz,
                                 double r) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            z = blockIdx.z;
  if (x >= nx || y >= ny) return;
  const long row = nx, plane = row * ny, i = z * plane + y * row + x;
  const long east = x + 1 < nx ? i + 1 : i + 1 - nx, west = x > 0 ? i - 1 : i - 1 + nx;
  const long north = y + 1 < ny ? i + row : i + row - plane, south = y > 0 ? i - row : i - row + plane;
  const long above = z + 1 < nz ? i + plane : i + plane - plane * nz,
             below = z > 0 ? i - plane : i - plane + plane * nz;
  v[i] = u[i] + r * (u[east] + u[west] + u[north] + u[south] + u[above] + u[below] - 6 * u[i]);
}

void time_laplace(benchmark::State& state, long n) {
  world_on(DeviceKind::cuda);
  const CudaArray<float> one(n * n), other(n * n);
  float *u = one.get(), *v = other.get();
  const dim3 threads(32, 8), grid(blocks(n - 2, 32), blocks(n - 2, 8));
  time_launches(state, [&] {
    laplace_kernel<<<grid, threads>>>(u, v, static_cast<int>(n), static_cast<int>(n));
    std::swap(u, v);
  });
  count(state, static_cast<double>(n - 2) * static_cast<double>(n - 2), 8);
}

void time_himeno(benchmark::State& state, const himeno::Problem& size, bool with_gosa) {
  world_on(DeviceKind::cuda);
  std::vector<CudaArray<float>> arrays;
  for (int m = 0; m < 14; ++m) arrays.emplace_back(size.imax * size.jmax * size.kmax);
  const auto array = [&](int m) { return arrays[static_cast<std::size_t>(m)].get(); };
  HimenoPointers list{};
  for (int m = 0; m < 4; ++m) list.a[m] = array(m);
  for (int m = 0; m < 3; ++m) {
    list.b[m] = array(4 + m);
    list.c[m] = array(7 + m);
  }
  list.bnd = array(10);
  list.wrk1 = array(11);
  float *p = array(12), *wrk2 = array(13);
  const CudaArray<double> gosa(1);
  const int imax = static_cast<int>(size.imax), jmax = static_cast<int>(size.jmax),
            kmax = static_cast<int>(size.kmax);
  const dim3 threads(64, 4), grid(blocks(kmax - 2, 64), blocks(jmax - 2, 4), static_cast<unsigned>(imax - 2));
  time_launches(state, [&] {
    if (with_gosa) {
      cudaMemsetAsync(gosa.get(), 0, sizeof(double));
      himeno_kernel<true><<<grid, threads>>>(list, p, wrk2, gosa.get(), imax, jmax, kmax);
    } else {
      himeno_kernel<false><<<grid, threads>>>(list, p, wrk2, nullptr, imax, jmax, kmax);
    }
    std::swap(p, wrk2);
  });
  count(state, size.cells(), 56);
}

void time_diffusion(benchmark::State& state, long n) {
  world_on(DeviceKind::cuda);
  const CudaArray<double> one(n * n * n), other(n * n * n);
  double *u = one.get(), *v = other.get();
  const dim3 threads(64, 4), grid(blocks(n, 64), blocks(n, 4), static_cast<unsigned>(n));
  const int e = static_cast<int>(n);
  time_launches(state, [&] {
    diffusion_kernel<<<grid, threads>>>(u, v, e, e, e, 0.1);
    std::swap(u, v);
  });
  count(state, static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n), 16);
}

} // namespace

void stream_cuda(benchmark::State& state, long bytes, bool triad) {
  world_on(DeviceKind::cuda);
  const long n = bytes / static_cast<long>(sizeof(double2));
  const CudaArray<double2> a(n), b(n), c(n);
  time_launches(state, [&] {
    if (triad)
      triad_kernel<<<blocks(n, 512), 512>>>(a.get(), b.get(), c.get(), n);
    else
      copy_kernel<<<blocks(n, 512), 512>>>(a.get(), b.get(), n);
  });
  count(state, static_cast<double>(2 * n), triad ? 24 : 16);
}

void register_plain_cuda(const Sizes& sizes) {
  const long nx = sizes.laplace, n = sizes.diffusion;
  add("laplace/plain/cuda/" + std::to_string(nx), 5,
      [=](benchmark::State& state) { time_laplace(state, nx); });
  for (const std::string& name : sizes.himeno) {
    const auto size = himeno::Problem::of(name);
    add("himeno/plain/cuda/" + name, 5, [=](benchmark::State& state) { time_himeno(state, size, false); });
    add("himeno_gosa/plain/cuda/" + name, 5,
        [=](benchmark::State& state) { time_himeno(state, size, true); });
  }
  add("diffusion/plain/cuda/" + std::to_string(n), 5,
      [=](benchmark::State& state) { time_diffusion(state, n); });
}

} // namespace tasuki::bench
