// Kernels of many kinds of parameters, started in every way there is; wrong configurations are returned at once.
#include <cooperative_groups.h>

#include <vector>

#include "check.cuh"

struct Large {
  double weight[100];
  char tag;
};

__global__ void fill(int* x, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = value + i;
}

__global__ void mixed(char a, double b, Large c, short d, double* out) {
  out[0] = a + b + c.weight[99] + c.tag + d;
}

__global__ void everybody(int* count, int* seen) {
  atomicAdd(count, 1);
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0) seen[blockIdx.x] = *count;
}

__global__ void bounded(int* x) {
  extern __shared__ int room[];
  room[threadIdx.x] = threadIdx.x;
  __syncthreads();
  x[threadIdx.x] = room[blockDim.x - 1 - threadIdx.x];
}

int main() {
  const int n = 1000;
  int* x;
  double* out;
  OK(cudaMalloc(&x, n * sizeof(int)));
  OK(cudaMalloc(&out, 8));
  std::vector<int> here(n);
  const auto holds = [&](int value) {
    OK(cudaMemcpy(here.data(), x, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) IS(here[i] == value + i);
  };

  fill<<<(n + 127) / 128, 128>>>(x, n, 5);
  holds(5);
  int count = n, value = 7;
  void* arguments[] = {&x, &count, &value};
  OK(cudaLaunchKernel((const void*)fill, dim3(8), dim3(128), arguments, 0, 0));
  holds(7);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(8);
  config.blockDim = dim3(128);
  value = 9;
  OK(cudaLaunchKernelExC(&config, (const void*)fill, arguments));
  holds(9);
  OK(cudaLaunchKernelEx(&config, fill, x, n, 11));
  holds(11);

  Large c = {};
  c.weight[99] = 0.25;
  c.tag = 3;
  mixed<<<1, 1>>>(1, 2.5, c, -4, out);
  double sum;
  OK(cudaMemcpy(&sum, out, 8, cudaMemcpyDeviceToHost));
  IS(sum == 1 + 2.5 + 0.25 + 3 - 4);

  OK(cudaMemset(x, 0, n * sizeof(int)));
  int* seen = x + 1;
  void* grid[] = {&x, &seen};
  OK(cudaLaunchCooperativeKernel((const void*)everybody, dim3(2), dim3(64), grid, 0, 0));
  OK(cudaMemcpy(here.data(), x, 3 * sizeof(int), cudaMemcpyDeviceToHost));
  IS(here[0] == 128 && here[1] == 128 && here[2] == 128);

  bounded<<<1, 64, 64 * sizeof(int)>>>(x);
  OK(cudaMemcpy(here.data(), x, 64 * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; ++i) IS(here[i] == 63 - i);

  fill<<<0, 128>>>(x, n, 1); // what is not to be launched is returned by the launch itself
  IS(cudaGetLastError() == cudaErrorInvalidValue);
  fill<<<1, 4096>>>(x, n, 1);
  IS(cudaGetLastError() == cudaErrorInvalidValue);
  bounded<<<1, 64, 10 << 20>>>(x);
  IS(cudaGetLastError() == cudaErrorInvalidValue);
  FAILS(cudaErrorInvalidResourceHandle, cudaLaunchKernel(&n, dim3(1), dim3(1), arguments, 0, 0));
  OK(cudaDeviceSynchronize());
  std::puts("launch: well");
}
