// Memory that is asked for beyond what there is, and addresses that the program has taken before its first call.
// bounds [BYTES [taken]]: the device has at most so many bytes, and the first place of its arena is not free.
#include <sys/mman.h>

#include <cstring>
#include <vector>

#include "check.cuh"

__global__ void fill(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 7 * i;
}

int main(int argc, char** argv) {
  const auto first = reinterpret_cast<void*>(0x200000000000); // of remote/client/session.cpp
  const bool taken = argc > 2 && std::strcmp(argv[2], "taken") == 0;
  if (taken)
    IS(mmap(first, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == first);
  size_t free = 0, total = 0;
  OK(cudaMemGetInfo(&free, &total));
  IS(free <= total && (argc < 2 || total <= std::strtoull(argv[1], nullptr, 10)));
  int* x = nullptr;
  FAILS(cudaErrorMemoryAllocation, cudaMalloc(&x, total + (64u << 20)));
  IS(x == nullptr);
  OK(cudaGetLastError()); // it has been told, and sticks to nothing
  const int n = 1000;
  OK(cudaMalloc(&x, n * sizeof(int)));
  if (taken) IS(reinterpret_cast<char*>(x) >= static_cast<char*>(first) + (512ull << 30));
  fill<<<(n + 255) / 256, 256>>>(x, n);
  std::vector<int> back(n);
  OK(cudaMemcpy(back.data(), x, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) SAME(back[i], 7 * i);
  OK(cudaFree(x));
  std::puts("bounds: well");
}
