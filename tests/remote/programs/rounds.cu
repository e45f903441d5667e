// A device that computes and is asked, round after round, with as much memory as is said; each round checks itself.
//
//   rounds                     50 rounds on 1 MiB
//   rounds MIB until FILE      ends once the file is there
#include <unistd.h>

#include "check.cuh"

__global__ void step(unsigned* x, unsigned n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    x[i] = 5 * x[i] + i + 1;
}

int main(int argc, char** argv) {
  const unsigned n = (argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 1u) << 18; // words
  const char* until = argc > 3 ? argv[3] : nullptr;
  unsigned* x;
  OK(cudaMalloc(&x, n * sizeof(unsigned)));
  OK(cudaMemset(x, 0, n * sizeof(unsigned)));
  unsigned first = 0, last = 0;
  for (int round = 0; until ? access(until, F_OK) != 0 : round < 50; ++round) {
    step<<<256, 256>>>(x, n);
    OK(cudaGetLastError());
    first = 5 * first + 1;
    last = 5 * last + n;
    unsigned here[2];
    OK(cudaMemcpy(here, x, sizeof(unsigned), cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(here + 1, x + n - 1, sizeof(unsigned), cudaMemcpyDeviceToHost));
    SAME(here[0], first);
    SAME(here[1], last);
  }
  std::puts("rounds: well");
}
