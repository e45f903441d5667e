// Host and kernel take turns at managed memory: the n-th call of each relies on all before it. turns [ROUNDS [other]]
// other: then a kernel of another device is given it, which remote GPUs refuse.
#include "check.cuh"

__global__ void step(unsigned* x, int n, unsigned round) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * 1664525u + round;
}

int main(int argc, char** argv) {
  const unsigned rounds = argc > 1 ? std::atoi(argv[1]) : 30;
  const int n = 50'000, few = 997; // the host looks at some numbers of each block
  unsigned *x, *expected = new unsigned[n]();
  OK(cudaMallocManaged(&x, n * sizeof *x));
  for (unsigned round = 1; round <= rounds; ++round) {
    for (int i = static_cast<int>(round) % few; i < n; i += few) expected[i] = x[i] += round;
    step<<<(n + 255) / 256, 256>>>(x, n, round);
    OK(cudaGetLastError());
    for (int i = 0; i < n; ++i) expected[i] = expected[i] * 1664525u + round;
    if (round % 3) OK(cudaDeviceSynchronize());
    for (int i = static_cast<int>(round) % few; i < n; i += few) SAME(x[i], expected[i]);
  }
  for (int i = 0; i < n; ++i) SAME(x[i], expected[i]);
  if (argc > 2) {
    OK(cudaSetDevice(1));
    step<<<1, 1>>>(x, 1, 1);
    SAME(cudaGetLastError(), cudaErrorNotSupported);
    SAME(x[0], expected[0]);
  }
  std::puts("turns: well");
}
