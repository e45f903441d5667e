// Mapped memory of the host: a kernel reads and writes it by its device pointer; copies take it as any.
#include <cstring>

#include "check.cuh"

__global__ void twice(int* x, const int* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 2 * y[i];
}

int main() {
  cudaDeviceProp about;
  OK(cudaGetDeviceProperties(&about, 0));
  IS(about.canMapHostMemory);
  OK(cudaSetDeviceFlags(cudaDeviceMapHost));
  const int n = 100'000;
  int *x, *y, *plain, *x_there, *y_there, *d;
  OK(cudaHostAlloc(&x, n * sizeof(int), cudaHostAllocMapped));
  OK(cudaHostAlloc(&y, n * sizeof(int), cudaHostAllocMapped | cudaHostAllocWriteCombined));
  OK(cudaMallocHost(&plain, n * sizeof(int)));
  OK(cudaHostGetDevicePointer(&x_there, x, 0));
  OK(cudaHostGetDevicePointer(&y_there, y, 0));
  FAILS(cudaErrorInvalidValue, cudaHostGetDevicePointer(&d, &about, 0));
  unsigned flags = 0;
  OK(cudaHostGetFlags(&flags, y));
  IS(flags & cudaHostAllocMapped && flags & cudaHostAllocWriteCombined);
  cudaPointerAttributes attributes;
  OK(cudaPointerGetAttributes(&attributes, x + 5));
  IS(attributes.type == cudaMemoryTypeHost && attributes.devicePointer == x_there + 5);
  cudaEvent_t done;
  OK(cudaEventCreate(&done));
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < n; ++i) y[i] = i + round;
    twice<<<(n + 127) / 128, 128>>>(x_there, y_there, n);
    OK(cudaEventRecord(done));
    OK(cudaEventSynchronize(done));
    for (int i = 0; i < n; ++i) SAME(x[i], 2 * (i + round));
  }
  OK(cudaMalloc(&d, n * sizeof(int)));
  OK(cudaMemcpyAsync(d, x, n * sizeof(int), cudaMemcpyHostToDevice, 0));
  OK(cudaMemcpyAsync(plain, d, n * sizeof(int), cudaMemcpyDeviceToHost, 0));
  OK(cudaMemcpyAsync(y, plain, 100 * sizeof(int), cudaMemcpyHostToHost, 0));
  OK(cudaStreamSynchronize(0));
  IS(!std::memcmp(plain, x, n * sizeof(int)));
  IS(y[99] == plain[99] && y[100] == 104);
  OK(cudaMemcpyAsync(y, d, n * sizeof(int), cudaMemcpyDeviceToHost, 0));
  OK(cudaStreamSynchronize(0));
  IS(!std::memcmp(plain, y, n * sizeof(int)));
  OK(cudaFreeHost(x));
  OK(cudaFreeHost(y));
  FAILS(cudaErrorInvalidValue, cudaFreeHost(y));
  OK(cudaFreeHost(plain));
  std::puts("mapped: well");
}
