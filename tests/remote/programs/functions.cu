// What a program can ask about its kernels, and set for them.
#include <cstring>

#include "check.cuh"

__global__ void __launch_bounds__(256) bounded(float* x, int n, char c) {
  __shared__ float room[64];
  room[threadIdx.x % 64] = x[0];
  __syncthreads();
  if (threadIdx.x == 0) x[0] = room[0] + n + c;
}

__constant__ float factors[24];

__global__ void roomy(int* x) {
  extern __shared__ int much[];
  much[threadIdx.x] = 1 + (factors[threadIdx.x % 24] != 0.0f);
  __syncthreads();
  x[0] = much[0];
}

int main() {
  const void* f = (const void*)bounded;
  cudaFuncAttributes a;
  OK(cudaFuncGetAttributes(&a, f));
  IS(a.maxThreadsPerBlock == 256 && a.sharedSizeBytes == 64 * sizeof(float) && a.ptxVersion >= 50);
  size_t offset = 0, size = 0;
  OK(cudaFuncGetParamInfo(f, 1, &offset, &size));
  IS(offset == 8 && size == 4);
  OK(cudaFuncGetParamInfo(f, 2, &offset, &size));
  IS(offset == 12 && size == 1);
  IS(cudaFuncGetParamInfo(f, 3, &offset, &size) == cudaErrorInvalidValue);
  cudaGetLastError();
  const char* name = nullptr;
  OK(cudaFuncGetName(&name, f));
  IS(std::strstr(name, "bounded"));
  bounded<<<1, 512>>>(nullptr, 1, 1);
  IS(cudaGetLastError() != cudaSuccess); // more threads than its bound

  int blocks = 0;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 128, 0));
  IS(blocks >= 1);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, f, 128, 0, cudaOccupancyDefault));
  IS(blocks >= 1);
  size_t room = 0;
  OK(cudaOccupancyAvailableDynamicSMemPerBlock(&room, (const void*)roomy, 1, 128));
  IS(room >= 16384);

  OK(cudaFuncSetCacheConfig(f, cudaFuncCachePreferL1));
  OK(cudaFuncSetSharedMemConfig(f, cudaSharedMemBankSizeFourByte));
  int most = 0;
  OK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  OK(cudaFuncSetAttribute((const void*)roomy, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
  int* x;
  OK(cudaMalloc(&x, 4));
  roomy<<<1, 32, most>>>(x);
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
  OK(cudaFuncGetAttributes(&a, (const void*)roomy));
  IS(a.constSizeBytes >= sizeof factors);
  cudaKernel_t kernel;
  OK(cudaGetKernel(&kernel, (const void*)roomy));
  OK(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 16384, 0));
  void* arguments[] = {&x};
  OK(cudaLaunchKernel((const void*)kernel, dim3(1), dim3(32), arguments, 16384, 0));
  int one = 0;
  OK(cudaMemcpy(&one, x, 4, cudaMemcpyDeviceToHost));
  IS(one == 1);
  std::puts("functions: well");
}
