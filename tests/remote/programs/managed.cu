// Managed memory: host and kernels read and write the same addresses, in turn.
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <thread>
#include <vector>

#include "check.cuh"

struct Node {
  int value;
  Node* next;
};

__global__ void add(int* x, int n, int what) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += what;
}
__global__ void walk(const Node* first, int* sum) {
  for (const Node* at = first; at; at = at->next) *sum += at->value;
}

sigjmp_buf back;
void caught(int, siginfo_t*, void*) { siglongjmp(back, 1); }

// An address that is nobody's goes to the program's own handler, whenever that was set.
void wild_touch() {
  volatile int* nowhere = reinterpret_cast<int*>(8);
  if (!sigsetjmp(back, 1)) {
    *nowhere = 1;
    IS(!"a wild pointer was taken");
  }
}

void in_stream(
    void* x) { // a function of the stream's sees what kernels before it did, and is seen by those behind it
  int* at = static_cast<int*>(x);
  for (int i = 0; i < 1000; ++i) at[i] = 2 * at[i];
}

int main() {
  cudaDeviceProp about;
  OK(cudaGetDeviceProperties(&about, 0));
  IS(about.managedMemory && !about.concurrentManagedAccess);

  const int n = 700'000; // many blocks of pages
  int *x, *y, *sum;
  OK(cudaMallocManaged(&x, n * sizeof(int)));
  OK(cudaMallocManaged(&y, n * sizeof(int), cudaMemAttachHost));
  OK(cudaMallocManaged(&sum, sizeof(int)));
  FAILS(cudaErrorInvalidValue, cudaMallocManaged(&x, 0));
  for (int i = 0; i < n; ++i) x[i] = i;
  add<<<(n + 255) / 256, 256>>>(x, n, 5);
  add<<<(n + 255) / 256, 256>>>(x, n, 6);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) SAME(x[i], i + 11);
  x[3] = 1; // some blocks only
  x[n - 1] = 2;
  add<<<(n + 255) / 256, 256>>>(x, n, 1);
  SAME(x[n - 1], 3); // a touch waits
  SAME(x[3], 2);
  SAME(x[n / 2], n / 2 + 12);

  // What the host sent in one stream is there for a kernel of another.
  cudaStream_t one, other;
  OK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  OK(cudaStreamAttachMemAsync(one, y, n * sizeof(int), cudaMemAttachSingle));
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < n; i += 1000) x[i] = y[i] = round;
    add<<<1, 1, 0, one>>>(x, 1, 100);
    add<<<(n + 255) / 256, 256, 0, other>>>(y, n, 7);
    for (int i = 1000; i < n; i += 1000) IS(y[i] == round + 7 && x[i] == round);
    SAME(x[0], round + 100);
  }

  // Lists that the host has made, walked by a kernel.
  Node* nodes;
  OK(cudaMallocManaged(&nodes, 1000 * sizeof(Node)));
  for (int i = 0; i < 1000; ++i) nodes[i] = {i, i + 1 < 1000 ? nodes + i + 1 : nullptr};
  *sum = 3;
  walk<<<1, 1>>>(nodes, sum);
  OK(cudaDeviceSynchronize());
  SAME(*sum, 3 + 999 * 1000 / 2);

  // Copies and fills go by where the bytes are, whatever their direction says.
  std::vector<int> plain(n, 9);
  int* d;
  OK(cudaMalloc(&d, n * sizeof(int)));
  x[0] = 77;
  OK(cudaMemcpy(d, x, n * sizeof(int), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(plain.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost));
  SAME(plain[0], 77);
  SAME(plain[n - 1], 3);
  y[1] = 5; // of a block that a fill takes a part of
  OK(cudaMemset(y, 0, sizeof(int)));
  IS(y[0] == 0 && y[1] == 5);
  OK(cudaMemcpy(y, plain.data(), 4, cudaMemcpyDefault));
  OK(cudaMemcpy(y + 2, x, 4, cudaMemcpyHostToHost));
  OK(cudaMemcpy2D(y + 4, 8, d, 8, 4, 3, cudaMemcpyDeviceToHost));
  IS(y[0] == 77 && y[1] == 5 && y[2] == 77 && y[4] == 77 && y[6] == plain[2] && y[8] == plain[4]);

  // Ways to say where it will be needed.
  cudaMemLocation here = {cudaMemLocationTypeHost, 0}, there = {cudaMemLocationTypeDevice, 0};
  OK(cudaMemAdvise(x, n * sizeof(int), cudaMemAdviseSetReadMostly, there));
  OK(cudaMemPrefetchAsync(x, n * sizeof(int), there, 0, one));
  add<<<(n + 255) / 256, 256, 0, one>>>(x, n, 1);
  OK(cudaMemPrefetchAsync(x, n * sizeof(int), here, 0, one));
  SAME(x[0], 78);
  SAME(x[n - 1], 4);
  FAILS(cudaErrorInvalidValue, cudaMemPrefetchAsync(d, 4, here, 0, one));
  FAILS(cudaErrorInvalidValue, cudaMemAdvise(plain.data(), 4, cudaMemAdviseSetReadMostly, there));
  cudaPointerAttributes attributes;
  OK(cudaPointerGetAttributes(&attributes, x + 1));
  IS(attributes.type == cudaMemoryTypeManaged && attributes.hostPointer == x + 1);

  for (int i = 0; i < 1000; ++i) x[i] = i;
  add<<<4, 250, 0, one>>>(x, 1000, 1);
  OK(cudaLaunchHostFunc(one, in_stream, x));
  add<<<4, 250, 0, one>>>(x, 1000, 3);
  OK(cudaStreamSynchronize(one));
  for (int i = 0; i < 1000; ++i) SAME(x[i], 2 * (i + 1) + 3);

  // A graph takes what the host has changed between its launches.
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
  add<<<4, 250, 0, one>>>(x, 1000, 10);
  OK(cudaStreamEndCapture(one, &graph));
  OK(cudaGraphInstantiate(&executable, graph, 0));
  for (int round = 0; round < 3; ++round) {
    x[7] = round;
    OK(cudaGraphLaunch(executable, one));
    OK(cudaStreamSynchronize(one));
    SAME(x[7], round + 10);
  }
  SAME(x[8], 2 * 9 + 3 + 30);

  // Threads of the host that touch the same blocks at once.
  add<<<(n + 255) / 256, 256>>>(x, n, 1);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([=] {
      for (int i = t; i < n; i += 4) x[i] = i;
    });
  for (auto& thread : threads) thread.join();
  add<<<(n + 255) / 256, 256>>>(x, n, 1);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) SAME(x[i], i + 1);

  struct sigaction own {};
  own.sa_sigaction = caught;
  own.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &own, nullptr); // after the first of such memory
  wild_touch();
  add<<<1, 1>>>(x, 1, 1);
  SAME(x[0], 2);
  wild_touch();
  std::signal(SIGSEGV, SIG_DFL);

  int devices = 0;
  OK(cudaGetDeviceCount(&devices));
  if (devices > 1) { // one device a range
    OK(cudaSetDevice(1));
    int* of_the_other;
    OK(cudaMallocManaged(&of_the_other, sizeof(int)));
    *of_the_other = 1;
    OK(cudaMemcpy(x, of_the_other, sizeof(int), cudaMemcpyDefault));
    SAME(*x, 1);
    add<<<1, 1>>>(of_the_other, 1, 5);
    OK(cudaDeviceSynchronize());
    SAME(*of_the_other, 6);
    OK(cudaFree(of_the_other));
  }
  OK(cudaSetDevice(0));
  OK(cudaFree(x));
  OK(cudaFree(nodes));
  int* again; // released and given out again, with no more than the program writes
  OK(cudaDeviceSynchronize());
  OK(cudaMallocManaged(&again, n * sizeof(int)));
  for (int i = 0; i < n; i += 100) again[i] = i;
  add<<<(n + 255) / 256, 256>>>(again, n, 1);
  for (int i = 0; i < n; i += 100) SAME(again[i], i + 1);
  std::puts("managed: well");
}
