// By hand: the passes of tests/lang/programs/laplace.c and himeno.c, one cell a thread, extents known at run time.
//
//   nvcc -O3 -arch=native bench/directives_plain.cu -o plain && ./plain laplace 4096 4096 1 500
//
// Prints microseconds a step, of so many steps.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void copy_back(double* to, const double* from, long rows, long columns) {
  const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x + 1;
  const long j = static_cast<long>(blockIdx.y) * blockDim.y + threadIdx.y + 1;
  if (i < columns - 1 && j < rows - 1) to[j * columns + i] = from[j * columns + i];
}

__global__ void five_points(double* u, const double* v, long rows, long columns) {
  const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x + 1;
  const long j = static_cast<long>(blockIdx.y) * blockDim.y + threadIdx.y + 1;
  if (i >= columns - 1 || j >= rows - 1) return;
  const long at = j * columns + i;
  u[at] = (v[at - columns] + v[at + columns] + v[at - 1] + v[at + 1]) / 4;
}

struct Himeno {
  float *p, *wrk1, *wrk2, *bnd, *a, *b, *c, *gosa; // gosa: one a block
  long rows, columns, planes;                      // along j, k and i
};

__device__ bool inside(const Himeno& h, long& at) {
  const long k = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x + 1;
  const long j = static_cast<long>(blockIdx.y) * blockDim.y + threadIdx.y + 1;
  const long i = static_cast<long>(blockIdx.z) + 1;
  at = (i * h.rows + j) * h.columns + k;
  return k < h.columns - 1 && j < h.rows - 1;
}

__global__ void jacobi(Himeno h) {
  long at;
  float error = 0;
  if (inside(h, at)) {
    const long sj = h.columns, si = h.rows * h.columns, n = h.planes * si;
    const float* p = h.p;
    const float s0 = h.a[at] * p[at + si] + h.a[n + at] * p[at + sj] + h.a[2 * n + at] * p[at + 1] +
                     h.b[at] * (p[at + si + sj] - p[at + si - sj] - p[at - si + sj] + p[at - si - sj]) +
                     h.b[n + at] * (p[at + sj + 1] - p[at - sj + 1] - p[at + sj - 1] + p[at - sj - 1]) +
                     h.b[2 * n + at] * (p[at + si + 1] - p[at - si + 1] - p[at + si - 1] + p[at - si - 1]) +
                     h.c[at] * p[at - si] + h.c[n + at] * p[at - sj] + h.c[2 * n + at] * p[at - 1] +
                     h.wrk1[at];
    const float ss = (s0 * h.a[3 * n + at] - p[at]) * h.bnd[at];
    error = ss * ss;
    h.wrk2[at] = p[at] + 0.8f * ss;
  }
  __shared__ float of_warp[8];
  for (int lane = 16; lane > 0; lane /= 2) error = fmaxf(error, __shfl_xor_sync(~0u, error, lane));
  const int me = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  if (me % 32 == 0) of_warp[me / 32] = error;
  __syncthreads();
  if (me > 0) return;
  for (int warp = 1; warp < 8; ++warp) error = fmaxf(error, of_warp[warp]);
  h.gosa[(static_cast<long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = error;
}

__global__ void take_over(Himeno h) {
  long at;
  if (inside(h, at)) h.p[at] = h.wrk2[at];
}

// The largest of all blocks; the host reads it in every step, as the program asks.
__global__ void largest(const float* of_block, long blocks, float* result) {
  __shared__ float all[1024];
  float most = 0;
  for (long n = threadIdx.x; n < blocks; n += 1024) most = fmaxf(most, of_block[n]);
  all[threadIdx.x] = most;
  __syncthreads();
  for (int half = 512; half > 0; half /= 2) {
    if (threadIdx.x < half) all[threadIdx.x] = fmaxf(all[threadIdx.x], all[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) *result = all[0];
}

template <class Step>
double microseconds(int steps, const Step& step) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  for (int n = 0; n < 3; ++n) step();
  cudaEventRecord(begin);
  for (int n = 0; n < steps; ++n) step();
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  float milliseconds = 0;
  cudaEventElapsedTime(&milliseconds, begin, end);
  return 1e3 * milliseconds / steps;
}

template <class T>
T* zeros(long count) {
  T* at = nullptr;
  if (cudaMalloc(&at, count * sizeof(T)) || cudaMemset(at, 0, count * sizeof(T))) {
    std::fprintf(stderr, "no memory for %ld numbers\n", count);
    std::exit(1);
  }
  return at;
}

int main(int argc, char** argv) {
  if (argc != 6) return std::fprintf(stderr, "plain laplace|himeno ROWS COLUMNS PLANES STEPS\n"), 2;
  const long rows = std::atol(argv[2]), columns = std::atol(argv[3]), planes = std::atol(argv[4]);
  const int steps = std::atoi(argv[5]);
  const auto tiles = [](long cells, int wide) { return static_cast<unsigned>((cells + wide - 1) / wide); };
  double time = 0;
  if (!std::strcmp(argv[1], "laplace")) {
    auto *u = zeros<double>(rows * columns), *v = zeros<double>(rows * columns);
    const dim3 threads(64, 4), blocks(tiles(columns, 64), tiles(rows, 4));
    time = microseconds(steps, [&] {
      copy_back<<<blocks, threads>>>(v, u, rows, columns);
      five_points<<<blocks, threads>>>(u, v, rows, columns);
    });
  } else {
    const long n = planes * rows * columns;
    const dim3 threads(64, 4),
        blocks(tiles(columns - 2, 64), tiles(rows - 2, 4), static_cast<unsigned>(planes - 2));
    const long all = static_cast<long>(blocks.x) * blocks.y * blocks.z;
    auto* result = zeros<float>(1);
    const Himeno h = {zeros<float>(n),
                      zeros<float>(n),
                      zeros<float>(n),
                      zeros<float>(n),
                      zeros<float>(4 * n),
                      zeros<float>(3 * n),
                      zeros<float>(3 * n),
                      zeros<float>(all),
                      rows,
                      columns,
                      planes};
    float gosa = 0;
    time = microseconds(steps, [&] {
      jacobi<<<blocks, threads>>>(h);
      largest<<<1, 1024>>>(h.gosa, all, result);
      take_over<<<blocks, threads>>>(h);
      cudaMemcpy(&gosa, result, sizeof gosa, cudaMemcpyDeviceToHost);
    });
  }
  if (cudaDeviceSynchronize() != cudaSuccess)
    return std::fprintf(stderr, "%s\n", cudaGetErrorString(cudaGetLastError())), 1;
  std::printf("%.2f\n", time);
}
