// Graphs: what was enqueued once on captured streams is done at each launch, in its order.
#include "check.cuh"

__global__ void twice(int* to, const int* from) { *to = 2 * *from; }
__global__ void add(int* to, int value) { *to += value; }

int main() {
  int *a, *b, *c;
  OK(cudaMalloc(&a, 16 * sizeof(int)));
  OK(cudaMalloc(&b, 16 * sizeof(int)));
  OK(cudaMalloc(&c, 16 * sizeof(int)));
  cudaStream_t first, second;
  OK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  cudaEvent_t forked, joined, outside;
  OK(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
  OK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
  OK(cudaEventCreate(&outside));
  int *in, *out; // pinned: a launch reads and writes what they hold then
  OK(cudaMallocHost(&in, sizeof(int)));
  OK(cudaMallocHost(&out, 4 * sizeof(int)));
  static int calls;
  const auto count = [](void* by) { calls += *static_cast<int*>(by); };
  static int one = 1;

  cudaStreamCaptureStatus status;
  unsigned long long id = 0, other = 0;
  OK(cudaStreamIsCapturing(first, &status));
  IS(status == cudaStreamCaptureStatusNone);
  OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal));
  OK(cudaMemcpyAsync(a, in, sizeof(int), cudaMemcpyHostToDevice, first));
  OK(cudaMemsetAsync(c, 0, sizeof(int), first));
  OK(cudaEventRecord(forked, first));
  OK(cudaStreamWaitEvent(second, forked, 0));
  twice<<<1, 1, 0, second>>>(b, a);
  OK(cudaEventRecord(joined, second));
  add<<<1, 1, 0, first>>>(c, 100);
  OK(cudaStreamWaitEvent(first, joined, 0));
  OK(cudaMemcpy2DAsync(c + 4, 8, b, 8, sizeof(int), 1, cudaMemcpyDefault, first));
  OK(cudaLaunchHostFunc(first, count, &one));
  add<<<1, 1, 0, first>>>(c + 4, 1);
  OK(cudaMemcpyAsync(out, c, sizeof(int), cudaMemcpyDeviceToHost, first));
  OK(cudaMemcpy2DAsync(out + 1, 8, c + 4, 8, sizeof(int), 1, cudaMemcpyDeviceToHost, first));
  OK(cudaStreamIsCapturing(second, &status));
  IS(status == cudaStreamCaptureStatusActive);
  OK(cudaStreamGetCaptureInfo(first, &status, &id, nullptr, nullptr, nullptr, nullptr));
  OK(cudaStreamGetCaptureInfo(second, &status, &other, nullptr, nullptr, nullptr, nullptr));
  IS(id == other && id != 0);
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed; // as libraries do to allocate meanwhile
  OK(cudaThreadExchangeStreamCaptureMode(&mode));
  int* meanwhile;
  OK(cudaMalloc(&meanwhile, 64));
  OK(cudaMemset(meanwhile, 0, 64));
  OK(cudaStreamSynchronize(nullptr));
  OK(cudaFree(meanwhile));
  OK(cudaThreadExchangeStreamCaptureMode(&mode));
  IS(mode == cudaStreamCaptureModeRelaxed);
  cudaGraph_t graph;
  OK(cudaStreamEndCapture(first, &graph));
  size_t nodes = 0;
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  IS(nodes == 9);
  OK(cudaDeviceSynchronize());
  IS(calls == 0); // kept, not done
  cudaGraphExec_t ready, again;
  OK(cudaGraphInstantiate(&ready, graph, cudaGraphInstantiateFlagUseNodePriority));
  OK(cudaGraphInstantiateWithFlags(&again, graph, 0));
  OK(cudaGraphDestroy(graph)); // what was made of it stays
  unsigned long long flags = 1;
  OK(cudaGraphExecGetFlags(again, &flags));
  SAME(flags, 0ull);
  OK(cudaGraphUpload(ready, first));
  for (int n = 1; n <= 20; ++n) {
    *in = n;
    out[0] = out[1] = -1;
    OK(cudaGraphLaunch(n % 2 ? ready : again, n % 3 ? first : second));
    OK(cudaStreamSynchronize(n % 3 ? first : second));
    IS(out[0] == 100 && out[1] == 2 * n + 1 && calls == n);
  }
  for (int n = 0; n < 50; ++n) OK(cudaGraphLaunch(ready, first)); // one after another, nobody waits
  OK(cudaGraphExecDestroy(ready));
  OK(cudaStreamSynchronize(first));
  IS(out[1] == 41 && calls == 70);
  OK(cudaGraphExecDestroy(again));

  // A sum in a graph that is launched behind itself.
  OK(cudaMemset(a, 0, sizeof(int)));
  OK(cudaDeviceSynchronize());
  OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed));
  for (int n = 1; n <= 10; ++n) add<<<1, 1, 0, first>>>(a, n);
  OK(cudaStreamEndCapture(first, &graph));
  OK(cudaGraphInstantiate(&ready, graph, 0));
  for (int n = 0; n < 100; ++n) OK(cudaGraphLaunch(ready, first));
  OK(cudaMemcpyAsync(out, a, sizeof(int), cudaMemcpyDeviceToHost, first));
  OK(cudaStreamSynchronize(first));
  IS(*out == 5500);
  OK(cudaGraphExecDestroy(ready));
  OK(cudaGraphDestroy(graph));

  // What cannot be captured says so, and spoils the capture.
  FAILS(cudaErrorStreamCaptureUnsupported,
        cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeRelaxed));
  IS(cudaStreamEndCapture(first, &graph) != cudaSuccess);
  cudaGetLastError();
  OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed));
  add<<<1, 1, 0, first>>>(a, 1);
  FAILS(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(first));
  OK(cudaStreamIsCapturing(first, &status));
  IS(status == cudaStreamCaptureStatusInvalidated);
  FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(first, &graph));
  IS(graph == nullptr);
  OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed)); // a stream that is not joined
  OK(cudaEventRecord(forked, first));
  OK(cudaStreamWaitEvent(second, forked, 0));
  add<<<1, 1, 0, second>>>(a, 1);
  FAILS(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(first, &graph));
  IS(cudaEventQuery(forked) != cudaSuccess); // it was recorded in a capture alone
  cudaGetLastError();
  OK(cudaEventRecord(outside, second));
  OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed)); // a wait for what is outside
  FAILS(cudaErrorStreamCaptureIsolation, cudaStreamWaitEvent(first, outside, 0));
  IS(cudaStreamEndCapture(first, &graph) == cudaErrorStreamCaptureInvalidated);
  cudaGetLastError();
  add<<<1, 1, 0, first>>>(a, 1); // and the streams are as they were
  OK(cudaMemcpyAsync(out, a, sizeof(int), cudaMemcpyDeviceToHost, first));
  OK(cudaStreamSynchronize(first));
  IS(*out == 5501);
  OK(cudaFreeHost(in));
  OK(cudaFreeHost(out));
  std::puts("graphs: well");
}
