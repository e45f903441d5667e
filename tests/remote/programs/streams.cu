// Streams: order within one, and what the default stream waits for.
#include <vector>

#include "check.cuh"

__global__ void append(int* log, int* at, int value) { log[(*at)++] = value; }

int main() {
  int *log, *at;
  OK(cudaMalloc(&log, 1000 * sizeof(int)));
  OK(cudaMalloc(&at, sizeof(int)));
  OK(cudaMemset(at, 0, sizeof(int)));
  OK(cudaStreamSynchronize(nullptr));
  cudaStream_t a, b, c;
  OK(cudaStreamCreate(&a));
  OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  int least = 0, greatest = 0;
  OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  OK(cudaStreamCreateWithPriority(&c, cudaStreamDefault, greatest));
  unsigned flags = 9;
  int priority = 9, device = 9;
  unsigned long long id = 0, other = 0;
  OK(cudaStreamGetFlags(b, &flags));
  IS(flags == cudaStreamNonBlocking);
  OK(cudaStreamGetPriority(c, &priority));
  IS(priority == greatest);
  OK(cudaStreamGetDevice(a, &device));
  IS(device == 0);
  OK(cudaStreamGetId(a, &id));
  OK(cudaStreamGetId(b, &other));
  IS(id != other);

  // Blocking streams and the default stream wait for each other, so this is one order. A thread's own waits for the legacy one alone.
#ifdef PER_THREAD
  const cudaStream_t everybody = cudaStreamLegacy;
#else
  const cudaStream_t everybody = nullptr;
#endif
  for (int n = 0; n < 100; ++n) {
    append<<<1, 1, 0, a>>>(log, at, 3 * n);
    append<<<1, 1, 0, everybody>>>(log, at, 3 * n + 1);
    append<<<1, 1, 0, c>>>(log, at, 3 * n + 2);
    append<<<1, 1, 0, everybody>>>(log, at, -1);
  }
  OK(cudaStreamSynchronize(0));
  std::vector<int> here(400);
  OK(cudaMemcpy(here.data(), log, 400 * sizeof(int), cudaMemcpyDeviceToHost));
  for (int n = 0; n < 100; ++n)
    IS(here[4 * n] == 3 * n && here[4 * n + 1] == 3 * n + 1 && here[4 * n + 2] == 3 * n + 2 &&
       here[4 * n + 3] == -1);

  OK(cudaMemsetAsync(at, 0, sizeof(int), b));
  append<<<1, 1, 0, b>>>(log, at, 5);
  while (cudaStreamQuery(b) == cudaErrorNotReady) {}
  cudaGetLastError();
  OK(cudaStreamSynchronize(b));
  append<<<1, 1, 0, cudaStreamPerThread>>>(log, at, 6);
  OK(cudaStreamSynchronize(cudaStreamPerThread));
  OK(cudaMemcpy(here.data(), log, 2 * sizeof(int), cudaMemcpyDeviceToHost));
  IS(here[0] == 5 && here[1] == 6);

  cudaLaunchAttributeValue value = {};
  OK(cudaStreamGetAttribute(c, cudaLaunchAttributePriority, &value));
  IS(value.priority == greatest);
  value = {};
  value.syncPolicy = cudaSyncPolicyAuto;
  OK(cudaStreamSetAttribute(a, cudaLaunchAttributeSynchronizationPolicy, &value));
  OK(cudaStreamCopyAttributes(b, a));
  OK(cudaStreamDestroy(a));
  OK(cudaStreamDestroy(b));
  OK(cudaStreamDestroy(c));
  std::puts("streams: well");
}
