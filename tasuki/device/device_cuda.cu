#include <tasuki/device/cuda_backend.hpp>
#include <tasuki/device/cuda_check.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace tasuki::cuda {
namespace {

cudaStream_t stream_of(void* handle) { return static_cast<cudaStream_t>(handle); }
cudaEvent_t event_of(void* handle) { return static_cast<cudaEvent_t>(handle); }

// The result of a query: true once the work is done.
bool come(cudaError_t state) {
  if (state == cudaErrorNotReady) {
    cudaGetLastError(); // not an error, but the check of the next launch would find it
    return false;
  }
  TASUKI_CUDA(state);
  return true;
}

cudaDeviceProp properties(int ordinal) {
  cudaDeviceProp p;
  TASUKI_CUDA(cudaGetDeviceProperties(&p, ordinal));
  return p;
}

} // namespace

bool built() { return true; }

std::string toolkit() {
  return std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
}

int devices(std::string& reason) {
  // With lazy loading, the first launch of a kernel may wait for a running kernel that itself waits for that launch.
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  int driver = 0, count = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
    cudaGetLastError();
    reason = "no NVIDIA driver on this machine";
    return 0;
  }
  const cudaError_t fault = cudaGetDeviceCount(&count);
  if (fault != cudaSuccess) {
    cudaGetLastError();
    reason = cudaGetErrorString(fault);
    return 0;
  }
  if (count == 0) reason = "the driver shows none";
  return count;
}

Uuid uuid(int ordinal) {
  const cudaDeviceProp p = properties(ordinal);
  Uuid id;
  std::memcpy(id.data(), p.uuid.bytes, id.size());
  return id;
}

void select(int ordinal) {
  TASUKI_CUDA(cudaSetDevice(ordinal));
  TASUKI_CUDA(cudaFree(nullptr)); // creates the context now, not in the first step
}

std::string name(int ordinal) { return properties(ordinal).name; }
std::size_t memory(int ordinal) { return properties(ordinal).totalGlobalMem; }

bool can_access(int from, int to) {
  int can = 0;
  TASUKI_CUDA(cudaDeviceCanAccessPeer(&can, from, to));
  return can != 0;
}

void synchronize() { TASUKI_CUDA(cudaDeviceSynchronize()); }

void* make_stream(bool urgent) {
  int least = 0, greatest = 0;
  TASUKI_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t stream = nullptr;
  TASUKI_CUDA(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, urgent ? greatest : least));
  return stream;
}
void free_stream(void* stream) noexcept { cudaStreamDestroy(stream_of(stream)); }
void wait_event(void* stream, void* event) {
  TASUKI_CUDA(cudaStreamWaitEvent(stream_of(stream), event_of(event), 0));
}
void synchronize_stream(void* stream) { TASUKI_CUDA(cudaStreamSynchronize(stream_of(stream))); }
bool stream_idle(void* stream) { return come(cudaStreamQuery(stream_of(stream))); }

void* make_event(bool timed) {
  cudaEvent_t event = nullptr;
  TASUKI_CUDA(cudaEventCreateWithFlags(&event, timed ? cudaEventDefault : cudaEventDisableTiming));
  return event;
}
void free_event(void* event) noexcept { cudaEventDestroy(event_of(event)); }
void record_event(void* event, void* stream) {
  TASUKI_CUDA(cudaEventRecord(event_of(event), stream_of(stream)));
}
void synchronize_event(void* event) { TASUKI_CUDA(cudaEventSynchronize(event_of(event))); }
bool event_reached(void* event) { return come(cudaEventQuery(event_of(event))); }
double seconds_between(void* earlier, void* later) {
  float milliseconds = 0;
  TASUKI_CUDA(cudaEventElapsedTime(&milliseconds, event_of(earlier), event_of(later)));
  return milliseconds * 1e-3;
}

} // namespace tasuki::cuda

namespace tasuki::detail {

void check_launch(const char* what) { cuda::check(cudaGetLastError(), what); }

} // namespace tasuki::detail
