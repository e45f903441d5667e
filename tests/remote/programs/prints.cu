// What kernels print stands where the program has waited for it, between what the program prints itself.
#include "check.cuh"

__global__ void say(int n, float x) { printf("%d and %.1f\n", n, x); }

int main() {
  std::printf("before\n");
  std::fflush(stdout);
  say<<<1, 1>>>(7, 2.5f);
  OK(cudaDeviceSynchronize());
  std::printf("between\n");
  std::fflush(stdout);
  say<<<1, 1>>>(8, 2.5f);
  OK(cudaStreamSynchronize(0));
  std::puts("prints: well");
}
