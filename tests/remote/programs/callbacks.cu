// Functions of the program's in the order of streams: on this side, while the stream stops.
#include <atomic>
#include <cstring>
#include <vector>

#include "check.cuh"

__global__ void add(int* x, int by) { *x += by; }

static std::vector<int> order;
static int* pinned;

int main() {
  int* x;
  OK(cudaMalloc(&x, sizeof(int)));
  OK(cudaMallocHost(&pinned, sizeof(int)));
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  OK(cudaMemsetAsync(x, 0, sizeof(int), stream));
  // The function sees what the copy before it brought, and the kernel after it sees what the function wrote.
  for (int n = 0; n < 20; ++n) {
    add<<<1, 1, 0, stream>>>(x, 1);
    OK(cudaMemcpyAsync(pinned, x, sizeof(int), cudaMemcpyDeviceToHost, stream));
    OK(cudaLaunchHostFunc(
        stream, [](void*) { order.push_back((*pinned)++); }, nullptr));
    OK(cudaMemcpyAsync(x, pinned, sizeof(int), cudaMemcpyHostToDevice, stream));
    OK(cudaStreamSynchronize(stream));
  }
  OK(cudaStreamAddCallback(
      stream,
      [](cudaStream_t, cudaError_t status, void* data) {
        IS(status == cudaSuccess);
        order.push_back(*static_cast<int*>(data));
      },
      &(*new int(-7)), 0));
  for (int n = 0; n < 3000; ++n) add<<<1, 1, 0, stream>>>(x, 1); // more than a stream holds while it stops
  OK(cudaStreamSynchronize(stream));
  IS(order.size() == 21 && order[20] == -7);
  for (int n = 0; n < 20; ++n) IS(order[n] == 2 * n + 1);
  int here = 0;
  OK(cudaMemcpy(&here, x, sizeof(int), cudaMemcpyDeviceToHost));
  IS(here == 40 + 3000);
  std::puts("callbacks: well");
}
