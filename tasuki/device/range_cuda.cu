// Memory of GPUs at addresses of one's choice: the driver's virtual memory management.
#include <tasuki/device/cuda_backend.hpp>
#include <tasuki/device/cuda_check.hpp>
#include <tasuki/device/driver_cuda.hpp>
#include <tasuki/device/not_captured_cuda.hpp>

namespace tasuki::cuda {
namespace {

// Throws Error for a call of the driver that failed or is not there.
void expect(CUresult fault, const char* call) {
  if (fault == CUDA_SUCCESS) return;
  static const auto text = driver_function<PFN_cuGetErrorString_v6000>("cuGetErrorString", 6000);
  const char* words = nullptr;
  if (text) text(fault, &words);
  throw Error(std::string(call) + " failed: " + (words ? words : "this driver lacks it"),
              "leave --halo direct and arrays over GPUs out, or update the driver");
}

// TASUKI_DRIVER(cuMemMap, 10020)(at, ..): a driver call by its name, whose failure is an Error.
#define TASUKI_DRIVER(name, version)                                                   \
  [](auto... given) {                                                                  \
    static const auto call = driver_function<PFN_##name##_v##version>(#name, version); \
    expect(call ? call(given...) : CUDA_ERROR_NOT_SUPPORTED, #name);                   \
  }

CUmemAllocationProp of_this_gpu() {
  int ordinal = 0;
  TASUKI_CUDA(cudaGetDevice(&ordinal));
  CUmemAllocationProp wish{};
  wish.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wish.location = {CU_MEM_LOCATION_TYPE_DEVICE, ordinal};
  wish.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  return wish;
}

CUdeviceptr address(char* at) { return reinterpret_cast<CUdeviceptr>(at); }

} // namespace

std::size_t granularity() {
  const CUmemAllocationProp wish = of_this_gpu();
  std::size_t step = 0;
  TASUKI_DRIVER(cuMemGetAllocationGranularity, 10020)(&step, &wish, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
  return step;
}

char* reserve_addresses(std::size_t bytes) {
  CUdeviceptr at = 0;
  TASUKI_DRIVER(cuMemAddressReserve, 10020)(&at, bytes, std::size_t{0}, CUdeviceptr{0}, 0ULL);
  return reinterpret_cast<char*>(at);
}

char* try_addresses(char* at, std::size_t bytes) {
  static const auto call = driver_function<PFN_cuMemAddressReserve_v10020>("cuMemAddressReserve", 10020);
  CUdeviceptr got = 0;
  const CUresult fault = call ? call(&got, bytes, 0, address(at), 0ULL) : CUDA_ERROR_NOT_SUPPORTED;
  return fault == CUDA_SUCCESS ? reinterpret_cast<char*>(got) : nullptr;
}

void free_addresses(char* at, std::size_t bytes) noexcept {
  static const auto call = driver_function<PFN_cuMemAddressFree_v10020>("cuMemAddressFree", 10020);
  if (call) call(address(at), bytes);
}

std::uint64_t create_memory(std::size_t bytes) {
  const NotCaptured now;
  static const auto call = driver_function<PFN_cuMemCreate_v10020>("cuMemCreate", 10020);
  const CUmemAllocationProp wish = of_this_gpu();
  CUmemGenericAllocationHandle memory = 0;
  const CUresult fault = call ? call(&memory, bytes, &wish, 0) : CUDA_ERROR_NOT_SUPPORTED;
  if (fault == CUDA_ERROR_OUT_OF_MEMORY) return 0;
  expect(fault, "cuMemCreate");
  return memory;
}

void release_memory(std::uint64_t memory) noexcept {
  static const auto call = driver_function<PFN_cuMemRelease_v10020>("cuMemRelease", 10020);
  if (call) call(memory);
}

int export_memory(std::uint64_t memory) {
  int descriptor = -1;
  TASUKI_DRIVER(cuMemExportToShareableHandle, 10020)
  (static_cast<void*>(&descriptor), memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0ULL);
  return descriptor;
}

std::uint64_t import_memory(int descriptor) {
  CUmemGenericAllocationHandle memory = 0;
  TASUKI_DRIVER(cuMemImportFromShareableHandle, 10020)
  (&memory, reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)),
   CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  return memory;
}

void map_memory(char* at, std::size_t bytes, std::uint64_t memory) {
  const NotCaptured now;
  TASUKI_DRIVER(cuMemMap, 10020)(address(at), bytes, std::size_t{0}, memory, 0ULL);
  const CUmemAccessDesc access{of_this_gpu().location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  TASUKI_DRIVER(cuMemSetAccess, 10020)(address(at), bytes, &access, std::size_t{1});
}

void unmap_memory(char* at, std::size_t bytes) noexcept {
  static const auto call = driver_function<PFN_cuMemUnmap_v10020>("cuMemUnmap", 10020);
  if (call) call(address(at), bytes);
}

void zero(char* at, std::size_t bytes) {
  TASUKI_CUDA(cudaMemset(at, 0, bytes));
  TASUKI_CUDA(cudaStreamSynchronize(nullptr)); // this library's streams do not wait for the default stream
}

} // namespace tasuki::cuda
