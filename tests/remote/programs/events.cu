// Events: order between streams and between devices, and times.
#include <thread>
#include <vector>

#include "check.cuh"

__global__ void work(int* x, int times) {
  for (int n = 0; n < times; ++n) *x = *x * 3 + 1;
}

int main() {
  int count = 0;
  OK(cudaGetDeviceCount(&count));
  const int last = count - 1;
  cudaStream_t a, b;
  cudaEvent_t begin, end, mark;
  int *x, *y, here = 0;
  OK(cudaSetDevice(0));
  OK(cudaMalloc(&x, sizeof(int)));
  OK(cudaMemset(x, 0, sizeof(int)));
  OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  OK(cudaEventCreate(&begin));
  OK(cudaEventCreate(&end));
  OK(cudaEventCreateWithFlags(&mark, cudaEventDisableTiming));
  OK(cudaEventQuery(mark)); // of nothing: passed
  OK(cudaEventSynchronize(mark));
  OK(cudaDeviceSynchronize());
  OK(cudaEventRecord(begin, a));
  work<<<1, 1, 0, a>>>(x, 20000);
  OK(cudaEventRecordWithFlags(end, a, cudaEventRecordDefault));
  OK(cudaEventRecord(mark, a));

  OK(cudaSetDevice(last)); // here it waits for device 0, which may be another
  OK(cudaMalloc(&y, sizeof(int)));
  OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  OK(cudaStreamWaitEvent(b, mark, 0));
  OK(cudaMemcpyAsync(y, x, sizeof(int), cudaMemcpyDefault, b));
  OK(cudaMemcpyAsync(&here, y, sizeof(int), cudaMemcpyDeviceToHost, b));
  OK(cudaStreamSynchronize(b));
  unsigned expected = 0;
  for (int n = 0; n < 20000; ++n) expected = expected * 3 + 1;
  IS(static_cast<unsigned>(here) == expected);

  while (cudaEventQuery(end) == cudaErrorNotReady) std::this_thread::yield();
  cudaGetLastError();
  OK(cudaEventSynchronize(end));
  float ms = -1;
  OK(cudaEventElapsedTime(&ms, begin, end));
  IS(ms >= 0 && ms < 60000);
  IS(cudaEventElapsedTime(&ms, begin, mark) == cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  OK(cudaEventDestroy(begin));
  OK(cudaEventDestroy(end));
  OK(cudaEventDestroy(mark));
  std::puts("events: well");
}
