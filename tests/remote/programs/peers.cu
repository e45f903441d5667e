// Several devices: copies between them, kernels that go to another's memory, and what a program does where they do not.
//
//   peers           whether they do is the devices' matter
//   peers 0|1       they do not, or they do
//   peers until     copies between the first two until one is lost; what it comes to, and whether the other goes on
#include <cstring>
#include <vector>

#include "check.cuh"

__global__ void add(int* x, int n, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += by;
}

__global__ void twice_into(int* own, int* other, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) own[i] = other[i], other[i] *= 2;
}

// Rounds in which device 0 adds to its memory, and device d, behind it, reads and changes it: nothing of it may be old.
static void reach_over(int d) {
  const int n = 1 << 14, blocks = (n + 255) / 256;
  int *late, *own;
  cudaEvent_t added;
  cudaStream_t stream;
  OK(cudaMalloc(&own, n * sizeof(int)));
  OK(cudaStreamCreate(&stream));
  OK(cudaSetDevice(0));
  OK(cudaMalloc(&late, 40 << 20)); // after the access was enabled, and in a unit of its own
  OK(cudaEventCreateWithFlags(&added, cudaEventDisableTiming));
  std::vector<int> here(n, 5);
  int value = 5;
  OK(cudaMemcpy(late, here.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  OK(cudaSetDevice(d)); // the copy is done, and no event says so
  twice_into<<<blocks, 256, 0, stream>>>(own, late, n);
  OK(cudaStreamSynchronize(stream));
  OK(cudaMemcpy(here.data(), own, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) SAME(here[i], value);
  value *= 2;
  for (int round = 0; round < 12; ++round) {
    OK(cudaSetDevice(0));
    add<<<blocks, 256>>>(late, n, 1);
    OK(cudaEventRecord(added, 0));
    OK(cudaSetDevice(d));
    OK(cudaStreamWaitEvent(stream, added, 0));
    twice_into<<<blocks, 256, 0, stream>>>(own, late, n);
    OK(cudaGetLastError());
    OK(cudaStreamSynchronize(stream));
    int there = 0;
    OK(cudaMemcpy(&there, own + n - 1, sizeof(int), cudaMemcpyDeviceToHost));
    SAME(there, value + 1);
    value = 2 * (value + 1);
    OK(cudaSetDevice(0));
    OK(cudaMemcpy(&there, late + n - 1, sizeof(int), cudaMemcpyDeviceToHost));
    SAME(there, value);
  }
  OK(cudaMemcpy(here.data(), late, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) IS(here[i] == value);
  OK(cudaEventDestroy(added));
  OK(cudaFree(late));
  OK(cudaSetDevice(d));
  OK(cudaStreamDestroy(stream));
  OK(cudaFree(own));
}

// The copies are of a stream of the device that stays, and the other's events come to it: neither may keep it.
static int until_lost() {
  const int n = 1 << 18;
  int *stays, *goes;
  cudaStream_t stream, other;
  cudaEvent_t there;
  OK(cudaSetDevice(1));
  OK(cudaMalloc(&goes, n * sizeof(int)));
  OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  OK(cudaEventCreateWithFlags(&there, cudaEventDisableTiming));
  OK(cudaSetDevice(0));
  OK(cudaMalloc(&stays, n * sizeof(int)));
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaError_t error = cudaSuccess;
  for (int round = 0; !error; ++round) {
    error = cudaMemcpyPeerAsync(goes, 1, stays, 0, n * sizeof(int), stream);
    if (!error) error = cudaEventRecord(there, other);
    if (!error) error = cudaStreamWaitEvent(stream, there, 0);
    if (!error) error = cudaMemcpyPeerAsync(stays, 0, goes, 1, n * sizeof(int), stream);
    if (!error) error = cudaStreamSynchronize(stream);
    if (round == 2) std::puts("goes round"), std::fflush(stdout);
  }
  std::puts(cudaGetErrorName(error));
  cudaGetLastError();
  cudaStreamSynchronize(stream); // may tell of the copy that was under way
  add<<<n / 256, 256, 0, stream>>>(stays, n, 1);
  OK(cudaStreamSynchronize(stream));
  OK(cudaDeviceSynchronize());
  std::puts("peers: well");
  return 0;
}

int main(int argc, char** argv) {
  if (argc > 1 && !std::strcmp(argv[1], "until")) return until_lost();
  const int n = 3 << 20;
  int count = 0;
  OK(cudaGetDeviceCount(&count));
  std::vector<int*> x(count);
  for (int d = 0; d < count; ++d) {
    OK(cudaSetDevice(d));
    OK(cudaMalloc(&x[d], n * sizeof(int)));
    OK(cudaMemset(x[d], 0, n * sizeof(int)));
  }
  for (int d = 1; d < count; ++d) {
    int reaches = -1, value = -1;
    OK(cudaSetDevice(d));
    OK(cudaDeviceCanAccessPeer(&reaches, d, 0));
    OK(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, d, 0));
    IS(reaches == value);
    if (argc > 1) SAME(reaches, std::atoi(argv[1]));
    if (reaches) {
      OK(cudaDeviceEnablePeerAccess(0, 0));
      FAILS(cudaErrorPeerAccessAlreadyEnabled, cudaDeviceEnablePeerAccess(0, 0));
      reach_over(d);
      OK(cudaDeviceDisablePeerAccess(0));
      FAILS(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(0));
    } else {
      FAILS(cudaErrorPeerAccessUnsupported, cudaDeviceEnablePeerAccess(0, 0));
      FAILS(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(0));
    }
  }
  // A number goes round, and each device adds its own to it.
  for (int d = 0; d < count; ++d) {
    OK(cudaSetDevice(d));
    add<<<(n + 255) / 256, 256>>>(x[d], n, d + 1);
    const int next = (d + 1) % count;
    if (d % 2)
      OK(cudaMemcpyPeer(x[next], next, x[d], d, n * sizeof(int)));
    else
      OK(cudaMemcpyPeerAsync(x[next], next, x[d], d, n * sizeof(int), 0));
  }
  // The same on streams that wait for each other, in rounds that would show what is old.
  std::vector<cudaStream_t> streams(count);
  std::vector<cudaEvent_t> events(count);
  for (int d = 0; d < count; ++d) {
    OK(cudaSetDevice(d));
    OK(cudaDeviceSynchronize());
    OK(cudaStreamCreateWithFlags(&streams[d], cudaStreamNonBlocking));
    OK(cudaEventCreateWithFlags(&events[d], cudaEventDisableTiming));
  }
  const int first = count * (count + 1) / 2, part = 1 << 16;
  int expected = first;
  for (int round = 0; round < 8; ++round)
    for (int d = 0; d < count; ++d) {
      const int next = (d + 1) % count;
      OK(cudaSetDevice(d));
      if (round || d) OK(cudaStreamWaitEvent(streams[d], events[(d + count - 1) % count], 0));
      add<<<part / 256, 256, 0, streams[d]>>>(x[d], part, d + 1);
      expected += d + 1;
      if ((round + d) % 2) { // one pushes, the other pulls
        OK(cudaMemcpyPeerAsync(x[next], next, x[d], d, part * sizeof(int), streams[d]));
        OK(cudaEventRecord(events[d], streams[d]));
      } else {
        OK(cudaEventRecord(events[d], streams[d]));
        OK(cudaSetDevice(next));
        OK(cudaStreamWaitEvent(streams[next], events[d], 0));
        OK(cudaMemcpyAsync(x[next], x[d], part * sizeof(int), cudaMemcpyDefault, streams[next]));
        OK(cudaSetDevice(d));
        OK(cudaEventRecord(events[d], streams[d]));
      }
      int last = 0;
      OK(cudaSetDevice(next));
      OK(cudaStreamSynchronize(streams[d]));
      OK(cudaStreamSynchronize(streams[next]));
      OK(cudaMemcpy(&last, x[next] + part - 1, sizeof(int), cudaMemcpyDeviceToHost));
      SAME(last, expected);
    }
  OK(cudaSetDevice(0));
  std::vector<int> here(n);
  OK(cudaMemcpy(here.data(), x[0], n * sizeof(int), cudaMemcpyDefault)); // the address says whose it is
  for (int i = 0; i < n; i += 1001) IS(here[i] == (i < part ? expected : first));

  cudaMemcpy3DPeerParms box = {};
  box.srcDevice = 0;
  box.dstDevice = count - 1;
  box.srcPtr = make_cudaPitchedPtr(x[0], 4096, 4096, 16);
  box.dstPtr = make_cudaPitchedPtr(x[count - 1] + (1 << 20), 8192, 8192, 16);
  box.extent = make_cudaExtent(100, 7, 3);
  OK(cudaMemcpy3DPeer(&box));
  OK(cudaMemcpy3DPeerAsync(&box, 0));
  OK(cudaDeviceSynchronize());
  OK(cudaSetDevice(count - 1));
  OK(cudaMemcpy(here.data(), x[count - 1] + (1 << 20), 8192 * 16 * 3, cudaMemcpyDeviceToHost));
  for (int z = 0; z < 3; ++z)
    for (int y = 0; y < 7; ++y) IS(here[(z * 16 + y) * 2048 + 24] == expected);
  std::puts("peers: well");
}
