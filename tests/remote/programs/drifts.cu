// Numbers of 32 bits that go there and back by exact steps, so that what was changed in one of them stays as far off, and no
// further. drifts [ROUNDS [FILE]]: at least so many, and until the file is there.
#include <cmath>
#include <vector>

#include "check.cuh"

__global__ void turn(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 3 - x[i];
}

bool is_there(const char* name) {
  std::FILE* file = std::fopen(name, "r");
  if (file) std::fclose(file);
  return file != nullptr;
}

int main(int argc, char** argv) {
  const int n = 1024, rounds = argc > 1 ? std::atoi(argv[1]) : 10;
  std::vector<float> begin(n), x(n);
  for (int i = 0; i < n; ++i) begin[i] = 1 + i / 1024.0f;
  float* d;
  OK(cudaMalloc(&d, n * sizeof(float)));
  OK(cudaMemcpy(d, begin.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  for (int round = 0; round < rounds || (argc > 2 && !is_there(argv[2])); ++round) {
    turn<<<n / 256, 256>>>(d, n);
    OK(cudaMemcpy(x.data(), d, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) {
      const float right = round % 2 ? begin[i] : 3 - begin[i];
      IS(std::fabs(x[i] - right) <= 1e-4f * right);
    }
  }
  OK(cudaFree(d));
  std::puts("drifts: well");
}
