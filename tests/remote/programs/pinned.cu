// Large copies from and to pinned memory, in their stream's order among kernels and functions; then copies of several
// threads from and to memory that is not pinned. pinned [ROUNDS]
#include <cstring>
#include <thread>
#include <vector>

#include "check.cuh"

__global__ void step(unsigned* x, int n, unsigned round) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 3 * x[i] + round;
}

struct Change {
  unsigned* at;
  int n;
  unsigned what;
};
void change(void* what) {
  const Change& c = *static_cast<Change*>(what);
  for (int i = 0; i < c.n; ++i) c.at[i] += c.what;
}

void there_and_back(int thread, unsigned rounds) {
  const size_t n = (3u << 20) + 1000 * thread;
  std::vector<unsigned char> here(n), back(n);
  unsigned char* there;
  OK(cudaMalloc(&there, n));
  for (unsigned round = 1; round <= rounds; ++round) {
    for (size_t i = 0; i < n; ++i)
      here[i] = static_cast<unsigned char>(i * 2654435761u >> (thread + round % 5));
    OK(cudaMemcpy(there, here.data(), n, cudaMemcpyHostToDevice));
    back = here;
    std::memset(here.data(), 0, n); // its bytes were taken
    OK(cudaMemcpy(here.data(), there, n, cudaMemcpyDeviceToHost));
    IS(here == back);
  }
  OK(cudaFree(there));
}

int main(int argc, char** argv) {
  const unsigned rounds = argc > 1 ? std::atoi(argv[1]) : 5;
  const int n = 300'000;
  const size_t bytes = n * sizeof(unsigned);
  unsigned *p, *q, *r, *d, *e;
  OK(cudaMallocHost(&p, bytes));
  OK(cudaHostAlloc(&q, bytes, cudaHostAllocDefault));
  OK(cudaMallocHost(&r, bytes));
  OK(cudaMalloc(&d, bytes));
  OK(cudaMalloc(&e, bytes));
  cudaStream_t one, other;
  OK(cudaStreamCreate(&one));
  OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  for (unsigned round = 1; round <= rounds; ++round) {
    for (int i = 0; i < n; ++i) p[i] = i + round;
    OK(cudaMemcpyAsync(d, p, bytes, cudaMemcpyHostToDevice, one));
    step<<<(n + 255) / 256, 256, 0, one>>>(d, n, round);
    OK(cudaMemcpyAsync(q, d, bytes, cudaMemcpyDeviceToHost, one));
    // What has just come is taken further, with no wait of the host's.
    OK(cudaMemcpyAsync(e, q, bytes, cudaMemcpyHostToDevice, one));
    Change by{r, n, round};
    OK(cudaMemcpyAsync(r, e, bytes, cudaMemcpyDeviceToHost, one));
    OK(cudaLaunchHostFunc(one, change, &by));
    OK(cudaMemcpyAsync(e + 1, r + 1, bytes - 8, cudaMemcpyHostToDevice, one));
    OK(cudaStreamSynchronize(one));
    for (int i = 0; i < n; ++i) SAME(q[i], 3 * (i + round) + round);
    for (int i = 0; i < n; ++i) SAME(r[i], q[i] + round);
    std::memset(r, 0, bytes);
    OK(cudaMemcpyAsync(r, e, bytes, cudaMemcpyDeviceToHost, other));
    OK(cudaStreamSynchronize(other));
    for (int i = 0; i < n; ++i) SAME(r[i], q[i] + (i > 0 && i < n - 1 ? round : 0));

    // A copy that returns when it is done leaves the memory to the host.
    OK(cudaMemcpy(d, p, bytes, cudaMemcpyHostToDevice));
    std::memset(p, 0, bytes);
    OK(cudaMemcpy(q + n / 2, d + n / 2, bytes / 2, cudaMemcpyDeviceToHost));
    SAME(q[n - 1], n - 1 + round);
    SAME(q[n / 2], n / 2 + round);

    // A small copy behind a large one to the same memory.
    OK(cudaMemcpyAsync(p, d, bytes, cudaMemcpyDeviceToHost, 0));
    OK(cudaMemcpy(e, p + 7, 64, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(r, e, 64, cudaMemcpyDeviceToHost));
    SAME(r[15], 22 + round);

    unsigned* given_back; // while it is copied from
    OK(cudaMallocHost(&given_back, bytes));
    for (int i = 0; i < n; ++i) given_back[i] = i * round;
    OK(cudaMemcpyAsync(d, given_back, bytes, cudaMemcpyHostToDevice, other));
    OK(cudaFreeHost(given_back));
    OK(cudaMemcpyAsync(q, d, bytes, cudaMemcpyDeviceToHost, other));
    OK(cudaStreamSynchronize(other));
    for (int i = 0; i < n; ++i) SAME(q[i], i * round);
  }
  OK(cudaFreeHost(p));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back(there_and_back, t, rounds);
  for (auto& thread : threads) thread.join();
  std::puts("pinned: well");
}
