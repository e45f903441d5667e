#include <tasuki/device/cuda_backend.hpp>
#include <tasuki/device/cuda_check.hpp>
#include <tasuki/device/driver_cuda.hpp>
#include <tasuki/device/not_captured_cuda.hpp>

#include <cstring>

namespace tasuki::cuda {
namespace {

CUresult address_range(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr at) {
  static const auto call = driver_function<PFN_cuMemGetAddressRange_v3020>("cuMemGetAddressRange", 3020);
  return call ? call(base, bytes, at) : CUDA_ERROR_NOT_SUPPORTED;
}

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
    TASUKI_CUDA(cudaStreamSynchronize(nullptr)); // this library's streams do not wait for the default stream
  }
  return static_cast<char*>(data);
}

void deallocate(char* data, Memory memory) noexcept {
  if (memory == Memory::device)
    cudaFree(data);
  else
    cudaFreeHost(data);
}

bool pin(char* at, std::size_t bytes) {
  const NotCaptured now;
  const cudaError_t fault = cudaHostRegister(at, bytes, cudaHostRegisterMapped);
  if (fault == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    return false;
  }
  check(fault, "cudaHostRegister");
  void* there = nullptr;
  TASUKI_CUDA(cudaHostGetDevicePointer(&there, at, 0));
  if (there == at) return true;
  unpin(at);
  throw Error("the GPU reaches host memory at another address than the processor does",
              "take --device host, or leave fields that do not fit out of a space");
}

void unpin(char* at) noexcept { cudaHostUnregister(at); }

// No attribute of a GPU tells: a remote one can map host memory, but does so only where the flag asks for it.
bool reaches_host() {
  const NotCaptured now;
  char* const page = allocate(1, Memory::pinned);
  if (!page) throw Error("no pinned memory is left", "free host memory");
  cudaPointerAttributes attributes{};
  const cudaError_t fault = cudaPointerGetAttributes(&attributes, page);
  deallocate(page, Memory::pinned);
  check(fault, "cudaPointerGetAttributes");
  return attributes.devicePointer == page;
}

std::size_t free_memory() {
  std::size_t free = 0, total = 0;
  TASUKI_CUDA(cudaMemGetInfo(&free, &total));
  return free;
}

// Uses the driver API, since the runtime API would create a context on a GPU, which a program on the host does not need
int holder(const void* pointer) {
  static const auto attribute =
      driver_function<PFN_cuPointerGetAttribute_v4000>("cuPointerGetAttribute", 4000);
  const auto at = reinterpret_cast<CUdeviceptr>(pointer);
  const auto ask = [&](auto& value, CUpointer_attribute which) {
    return attribute && attribute(&value, which, at) == CUDA_SUCCESS;
  };
  unsigned managed = 0;
  if (ask(managed, CU_POINTER_ATTRIBUTE_IS_MANAGED) && managed) return kManaged;
  CUmemorytype type = CU_MEMORYTYPE_HOST;
  int ordinal = 0;
  if (!ask(type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE) || type != CU_MEMORYTYPE_DEVICE ||
      !ask(ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL))
    return kOfHost;
  return ordinal;
}

void copy(void* stream, void* to, const void* from, std::size_t bytes) {
  const auto on = static_cast<cudaStream_t>(stream);
  TASUKI_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, on));
  TASUKI_CUDA(cudaStreamSynchronize(on));
}

void store(void* to, const void* from, std::size_t bytes) {
  const NotCaptured now;
  TASUKI_CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
}

SharedHandle share(char* data) {
  static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(SharedHandle::handle));
  SharedHandle shared;
  int device = 0, lends = 0; // 0 on a GPU of another host
  TASUKI_CUDA(cudaGetDevice(&device));
  TASUKI_CUDA(cudaDeviceGetAttribute(&lends, cudaDevAttrIpcEventSupport, device));
  if (!lends) return shared;
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
