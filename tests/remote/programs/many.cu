// The program of the pages: a loop over the devices of a machine, which knows nothing of others.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void step(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 0.5f * x[i] + 1.0f;
}

int main(int argc, char** argv) {
  int gpus = 0;
  cudaGetDeviceCount(&gpus);
  const int n = argc > 1 ? std::atoi(argv[1]) : 1 << 24, steps = argc > 2 ? std::atoi(argv[2]) : 1000;
  std::vector<float*> x(gpus);
  std::vector<float> first(gpus);
  for (int d = 0; d < gpus; ++d) {
    cudaSetDevice(d);
    cudaMalloc(&x[d], n * sizeof(float));
    cudaMemset(x[d], 0, n * sizeof(float));
  }
  for (int t = 0; t < steps; ++t)
    for (int d = 0; d < gpus; ++d) {
      cudaSetDevice(d);
      step<<<(n + 255) / 256, 256>>>(x[d], n);
    }
  for (int d = 0; d < gpus; ++d) {
    cudaSetDevice(d);
    cudaMemcpy(&first[d], x[d], sizeof(float), cudaMemcpyDeviceToHost);
    std::printf("%d %.7f\n", d, first[d]);
  }
  return gpus && cudaGetLastError() == cudaSuccess ? 0 : 1;
}
