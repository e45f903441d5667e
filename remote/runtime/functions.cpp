// Attributes of kernels: queries and settings of the program.
#include <remote/runtime/program.hpp>

#include <served.hpp>

#include <algorithm>

namespace tasuki::remote::served {

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attr, const void* func) {
  VirtualDevice& device = current();
  const Kernel& kernel = entry_of(func).at(device);
  *attr = {};
  attr->sharedSizeBytes = kernel.info.shared;
  attr->constSizeBytes = kernel.info.constant;
  attr->localSizeBytes = kernel.info.local;
  attr->maxThreadsPerBlock = static_cast<int>(kernel.info.max_threads);
  attr->numRegs = static_cast<int>(kernel.info.registers);
  attr->ptxVersion = static_cast<int>(kernel.info.ptx);
  attr->binaryVersion = static_cast<int>(kernel.info.binary);
  attr->maxDynamicSharedSizeBytes = static_cast<int>(kernel.max_dynamic_shared.load());
  attr->preferredShmemCarveout = -1;
  return cudaSuccess;
}

static cudaError_t set(Entry& entry, VirtualDevice& device, cudaFuncAttribute attr, int value) {
  const Kernel& kernel = entry.at(device);
  if (attr == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    const int most = device.attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    if (value < 0 || static_cast<u32>(value) + kernel.info.shared > static_cast<u32>(most))
      return cudaErrorInvalidValue;
  } else if (attr != cudaFuncAttributePreferredSharedMemoryCarveout) {
    return refuse("an attribute of cudaFuncSetAttribute", "set the two that are about shared memory only");
  }
  device.calls().ask<answer::Done>(call::SetKernelAttribute{kernel.number, static_cast<u32>(attr), value});
  if (attr == cudaFuncAttributeMaxDynamicSharedMemorySize)
    const_cast<Kernel&>(kernel).max_dynamic_shared = static_cast<u32>(value);
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void* func, cudaFuncAttribute attr, int value) {
  return set(entry_of(func), current(), attr, value);
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attr, int value,
                                            int device) {
  return set(entry_of_kernel(kernel), device_at(device), attr, value);
}

cudaError_t cudaFuncSetCacheConfig(const void* func, cudaFuncCache) {
  entry_of(func);
  return cudaSuccess; // a preference
}

cudaError_t cudaFuncSetSharedMemConfig(const void* func, cudaSharedMemConfig) {
  entry_of(func);
  return cudaSuccess; // for older devices than any supported one
}

cudaError_t cudaFuncGetName(const char** name, const void* func) {
  *name = entry_of(func).name.c_str();
  return cudaSuccess;
}

cudaError_t cudaFuncGetParamInfo(const void* func, size_t paramIndex, size_t* paramOffset,
                                 size_t* paramSize) {
  const Kernel& kernel = entry_of(func).at(current());
  if (paramIndex >= kernel.parameters.size()) return cudaErrorInvalidValue;
  if (paramOffset) *paramOffset = kernel.parameters[paramIndex].first;
  if (paramSize) *paramSize = kernel.parameters[paramIndex].second;
  return cudaSuccess;
}

cudaError_t cudaGetKernel(cudaKernel_t* kernelPtr, const void* entryFuncAddr) {
  Entry& entry = entry_of(entryFuncAddr);
  give_out(entry);
  *kernelPtr = reinterpret_cast<cudaKernel_t>(&entry);
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, const void* func, int blockSize,
                                                          size_t dynamicSMemSize) {
  return served::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, func, blockSize,
                                                                        dynamicSMemSize, 0);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, const void* func,
                                                                   int blockSize, size_t dynamicSMemSize,
                                                                   unsigned flags) {
  if (blockSize <= 0) return cudaErrorInvalidValue;
  VirtualDevice& device = current();
  const Kernel& kernel = entry_of(func).at(device);
  *numBlocks = static_cast<int>(device.calls()
                                    .ask<answer::Number>(call::Occupancy{
                                        kernel.number, static_cast<u32>(blockSize), dynamicSMemSize, flags})
                                    .value);
  return cudaSuccess;
}

// The most shared memory that allows this many blocks. Binary search, since only the device knows its rounding.
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, const void* func,
                                                      int numBlocks, int blockSize) {
  if (numBlocks <= 0 || blockSize <= 0) return cudaErrorInvalidValue;
  VirtualDevice& device = current();
  const Kernel& kernel = entry_of(func).at(device);
  const auto fits = [&](size_t shared) {
    return device.calls()
               .ask<answer::Number>(call::Occupancy{kernel.number, static_cast<u32>(blockSize), shared, 0})
               .value >= static_cast<u64>(numBlocks);
  };
  size_t low = 0,
         high = static_cast<size_t>(device.attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor)) + 1;
  if (!fits(0)) return cudaErrorInvalidValue;
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    (fits(middle) ? low : high) = middle;
  }
  *dynamicSmemSize = low;
  return cudaSuccess;
}

} // namespace tasuki::remote::served
