#include <tasuki/device/cuda_backend.hpp>
#include <tasuki/device/cuda_check.hpp>

#include <cuda.h>
#include <cudaTypedefs.h>

#include <cstring>

namespace tasuki::cuda {
namespace {

// By entry point, so that the library needs no libcuda to start on a machine without a driver.
CUresult address_range(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr at) {
  static const auto call = [] {
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found;
    TASUKI_CUDA(
        cudaGetDriverEntryPointByVersion("cuMemGetAddressRange", &entry, 3020, cudaEnableDefault, &found));
    return found == cudaDriverEntryPointSuccess ? reinterpret_cast<PFN_cuMemGetAddressRange_v3020>(entry)
                                                : nullptr;
  }();
  return call ? call(base, bytes, at) : CUDA_ERROR_NOT_SUPPORTED;
}

// What this thread asks for is done at once, though a stream may be captured.
class NotCaptured {
public:
  NotCaptured() { TASUKI_CUDA(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  ~NotCaptured() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  NotCaptured(const NotCaptured&) = delete;
  NotCaptured& operator=(const NotCaptured&) = delete;

private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

} // namespace

char* allocate(std::size_t bytes, Memory memory) {
  const NotCaptured now;
  void* data = nullptr;
  const cudaError_t fault =
      memory == Memory::device ? cudaMalloc(&data, bytes) : cudaMallocHost(&data, bytes);
  if (fault == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    return nullptr;
  }
  check(fault, memory == Memory::device ? "cudaMalloc" : "cudaMallocHost");
  if (memory == Memory::pinned) {
    std::memset(data, 0, bytes);
  } else {
    TASUKI_CUDA(cudaMemset(data, 0, bytes));
    TASUKI_CUDA(cudaStreamSynchronize(nullptr)); // our streams do not wait for the default one
  }
  return static_cast<char*>(data);
}

void deallocate(char* data, Memory memory) noexcept {
  if (memory == Memory::device)
    cudaFree(data);
  else
    cudaFreeHost(data);
}

std::size_t free_memory() {
  std::size_t free = 0, total = 0;
  TASUKI_CUDA(cudaMemGetInfo(&free, &total));
  return free;
}

void copy(void* stream, void* to, const void* from, std::size_t bytes) {
  const auto on = static_cast<cudaStream_t>(stream);
  TASUKI_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, on));
  TASUKI_CUDA(cudaStreamSynchronize(on));
}

SharedHandle share(char* data) {
  static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(SharedHandle::handle));
  SharedHandle shared;
  cudaIpcMemHandle_t handle;
  if (cudaIpcGetMemHandle(&handle, data) != cudaSuccess) {
    cudaGetLastError();
    return shared;
  }
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  const auto at = reinterpret_cast<CUdeviceptr>(data);
  if (address_range(&base, &bytes, at) != CUDA_SUCCESS) return shared;
  std::memcpy(shared.handle.data(), &handle, sizeof handle);
  shared.offset = static_cast<long>(at - base);
  shared.valid = 1;
  return shared;
}

char* open_shared(const SharedHandle& shared) {
  cudaIpcMemHandle_t handle;
  std::memcpy(&handle, shared.handle.data(), sizeof handle);
  void* base = nullptr;
  if (cudaIpcOpenMemHandle(&base, handle, cudaIpcMemLazyEnablePeerAccess) != cudaSuccess) {
    cudaGetLastError();
    return nullptr;
  }
  return static_cast<char*>(base) + shared.offset;
}

void close_shared(char* data, const SharedHandle& shared) noexcept {
  cudaIpcCloseMemHandle(data - shared.offset);
}

} // namespace tasuki::cuda
