// A kernel whose warps read what others write, with a barrier between; without one (0), where nobody looks, it is as well.
#include <cstring>

#include "check.cuh"

__global__ void reversed(int* x, int barrier) {
  __shared__ int part[128];
  part[threadIdx.x] = x[threadIdx.x];
  if (barrier) __syncthreads();
  x[threadIdx.x] = part[127 - threadIdx.x];
}

int main(int argc, char** argv) {
  const int barrier = argc < 2 || std::strcmp(argv[1], "0") != 0;
  int* x;
  OK(cudaMalloc(&x, 128 * sizeof(int)));
  OK(cudaMemset(x, 0, 128 * sizeof(int)));
  reversed<<<1, 128>>>(x, barrier);
  const cudaError_t status = cudaDeviceSynchronize();
  std::printf("races: %s\n", status == cudaSuccess ? "well" : cudaGetErrorString(status));
  return status != cudaSuccess;
}
