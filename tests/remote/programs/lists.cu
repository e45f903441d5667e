// Lists of pointers in device memory that kernels follow and change, a variable of the module, two streams, functions of the
// program's, for as many rounds as are asked for: what a spare has to come to in the midst of it. Another thread makes calls
// meanwhile, whose functions come behind waits of the first. `lists 9 fault` lets a kernel follow a pointer to nowhere at the end;
// `lists 1000000 until FILE` ends once the file is there.
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "check.cuh"

struct Node {
  Node* next;
  unsigned value;
};

__device__ unsigned total;

__global__ void join(Node* a, Node* b, int n) {
  const int i = threadIdx.x;
  a[i] = {b + (i * 7 + 3) % n, static_cast<unsigned>(i)};
  b[i] = {a + (i * 5 + 1) % n, static_cast<unsigned>(i) * 3};
}
__global__ void change(Node* a, unsigned round) {
  const int i = threadIdx.x;
  a[i].value = a[i].value * 1664525u + round; // not the same where it is done twice
  if (i == 0) total += round;
}
__global__ void tick(unsigned* ticks) { ++*ticks; }
__global__ void walk(Node** heads, int hops, unsigned* sum) {
  const int i = threadIdx.x;
  Node* at = heads[i];
  unsigned found = sum[i];
  for (int n = 0; n < hops; ++n, at = at->next) found = found * 31u + at->value;
  sum[i] = found;
}

// The other thread's: functions of the program's on a stream of its own, each waited for. An error ends it, and the first
// thread says which.
class Beside {
public:
  explicit Beside(int most) : thread_([this, most] { well_ = work(most); }) {}
  bool well() {
    over_ = true;
    thread_.join();
    return well_;
  }

private:
  bool work(int most) {
    cudaStream_t stream;
    unsigned *ticks, counted = 0, n = 0;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) || cudaMalloc(&ticks, sizeof counted) ||
        cudaMemsetAsync(ticks, 0, sizeof counted, stream))
      return false;
    for (; n < static_cast<unsigned>(most) && !over_; ++n) {
      tick<<<1, 1, 0, stream>>>(ticks);
      const auto count = [](void* p) { ++*static_cast<std::atomic<unsigned>*>(p); };
      if (cudaLaunchHostFunc(stream, count, &called_) || cudaStreamSynchronize(stream)) return false;
    }
    return !cudaMemcpy(&counted, ticks, sizeof counted, cudaMemcpyDeviceToHost) && counted == n &&
           called_ == n;
  }
  std::atomic<bool> over_{false};
  std::atomic<unsigned> called_{0};
  bool well_ = false;
  std::thread thread_;
};

int main(int argc, char** argv) {
  constexpr int n = 64, hops = 9;
  int rounds = argc > 1 ? std::atoi(argv[1]) : 40;
  const char* until = argc > 3 ? argv[3] : nullptr;
  Node *a, *b, **heads;
  unsigned *sum, *some;
  OK(cudaMallocHost(&some, sizeof(unsigned)));
  OK(cudaMalloc(&a, n * sizeof(Node)));
  OK(cudaMalloc(&b, n * sizeof(Node)));
  OK(cudaMalloc(&heads, n * sizeof(Node*)));
  OK(cudaMalloc(&sum, n * sizeof(unsigned)));
  OK(cudaMemset(sum, 0, n * sizeof(unsigned)));
  join<<<1, n>>>(a, b, n);
  cudaStream_t first, second;
  cudaEvent_t changed, walked;
  OK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  OK(cudaEventCreate(&changed));
  OK(cudaEventCreate(&walked));
  OK(cudaDeviceSynchronize());

  // The same on the host; nodes are numbers, b's behind a's.
  std::vector<int> next(2 * n), head(n);
  std::vector<unsigned> value(2 * n), expected(n), got(n);
  for (int i = 0; i < n; ++i) {
    next[i] = n + (i * 7 + 3) % n;
    next[n + i] = (i * 5 + 1) % n;
    value[i] = i;
    value[n + i] = i * 3;
  }
  std::atomic<int> called{0};
  std::vector<Node*> pointers(n);
  unsigned whole = 0;
  Beside beside(rounds);
  for (int round = 0; round < rounds; ++round) {
    if (until && round % 16 == 0 && access(until, F_OK) == 0) rounds = round + 1;
    if (round % 8 == 0) {
      for (int i = 0; i < n; ++i) {
        head[i] = (i * 3 + round) % (2 * n);
        pointers[i] = head[i] < n ? a + head[i] : b + (head[i] - n);
      }
      OK(cudaStreamSynchronize(second));
      OK(cudaMemcpyAsync(heads, pointers.data(), n * sizeof(Node*), cudaMemcpyHostToDevice, first));
    }
    OK(cudaStreamWaitEvent(first, walked, 0));
    change<<<1, n, 0, first>>>(round % 2 ? a : b, round);
    OK(cudaEventRecord(changed, first));
    OK(cudaStreamWaitEvent(second, changed, 0));
    walk<<<1, n, 0, second>>>(heads, hops, sum);
    OK(cudaEventRecord(walked, second));
    if (round % 8 == 3) { // the copy is answered before the function stops the stream
      OK(cudaMemcpyAsync(some, sum, sizeof(unsigned), cudaMemcpyDeviceToHost, second));
      OK(cudaLaunchHostFunc(
          second, [](void* p) { ++*static_cast<std::atomic<int>*>(p); }, &called));
    }
    const int base = round % 2 ? 0 : n;
    for (int i = 0; i < n; ++i) value[base + i] = value[base + i] * 1664525u + round;
    for (int i = 0; i < n; ++i)
      for (int hop = 0, at = head[i]; hop < hops; ++hop, at = next[at])
        expected[i] = expected[i] * 31u + value[at];
    whole += round;
    if (round % 16 == 9) OK(cudaDeviceSynchronize());
    if (round % 5 == 4 || round == rounds - 1) {
      OK(cudaMemcpyAsync(got.data(), sum, n * sizeof(unsigned), cudaMemcpyDeviceToHost, second));
      OK(cudaStreamSynchronize(second));
      IS(got == expected);
    }
  }
  const bool well_beside = beside.well();
  unsigned counted = 0;
  OK(cudaMemcpyFromSymbol(&counted, total, sizeof counted));
  IS(counted == whole);
  IS(called == (rounds + 4) / 8); // each once
  IS(well_beside);
  if (argc == 3) {
    OK(cudaMemset(heads, 0x70, n * sizeof(Node*)));
    walk<<<1, n>>>(heads, hops, sum);
    IS(cudaMemcpy(got.data(), sum, sizeof(unsigned), cudaMemcpyDeviceToHost) == cudaErrorIllegalAddress);
    std::puts("lists: faulted");
    return 0;
  }
  OK(cudaFree(a));
  OK(cudaFree(heads));
  std::puts("lists: well");
}
