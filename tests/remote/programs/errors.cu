// Errors: a thread's last one, their names; what a kernel does wrong comes with a later call, and stays.
#include <cstring>
#include <thread>

#include "check.cuh"

__global__ void wild(int* x) { x[0] = 1; }

int main() {
  IS(!std::strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation"));
  IS(!std::strcmp(cudaGetErrorName(cudaSuccess), "cudaSuccess"));
  IS(!std::strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument"));
  IS(!std::strcmp(cudaGetErrorString(cudaSuccess), "no error"));
  OK(cudaFree(nullptr));

  FAILS(cudaErrorInvalidValue, cudaMalloc((void**)nullptr, 8));
  FAILS(cudaErrorInvalidDevice, cudaSetDevice(4711));
  IS(cudaSetDevice(-1) == cudaErrorInvalidDevice); // of this thread; another knows nothing of it
  std::thread([] { IS(cudaGetLastError() == cudaSuccess); }).join();
  IS(cudaPeekAtLastError() == cudaErrorInvalidDevice);
  IS(cudaGetLastError() == cudaErrorInvalidDevice);
  IS(cudaGetLastError() == cudaSuccess);

  wild<<<1, 1>>>((int*)64);
  OK(cudaGetLastError()); // the launch itself was well
  const cudaError_t fault = cudaDeviceSynchronize();
  IS(fault == cudaErrorIllegalAddress || fault == cudaErrorLaunchFailure);
  IS(cudaGetLastError() == fault);
  int* x;
  IS(cudaMalloc(&x, 4) == fault);
  IS(cudaMemset((void*)256, 0, 4) == fault);
  IS(cudaDeviceSynchronize() == fault);
  std::puts("errors: well");
}
