// The list of devices, what they are, and which one a thread uses.
#include <remote/runtime/captures.hpp>

#include <served.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace tasuki::remote::served {

cudaError_t cudaGetDeviceCount(int* count) {
  if (!count) return cudaErrorInvalidValue;
  *count = session().count();
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  if (!device) return cudaErrorInvalidValue;
  session();
  *device = thread().device;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  device_at(device);
  thread().device = device;
  return cudaSuccess;
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  device_at(device);
  return cudaSuccess;
}

static std::atomic<unsigned> device_flags{0};

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  if (flags & ~static_cast<unsigned>(cudaDeviceMask)) return cudaErrorInvalidValue;
  device_flags = flags;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  if (!flags) return cudaErrorInvalidValue;
  *flags = device_flags;
  return cudaSuccess;
}

cudaError_t cudaSetValidDevices(int* device_arr, int len) {
  for (int n = 0; n < len; ++n) device_at(device_arr[n]);
  if (len > 0) thread().device = device_arr[0];
  return cudaSuccess;
}

// The first that has all that is asked for, else the one with the newest compute capability.
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* prop) {
  int best = 0, best_capability = -1;
  for (int n = 0; n < session().count(); ++n) {
    cudaDeviceProp there;
    served::cudaGetDeviceProperties(&there, n);
    if (prop && there.major * 10 + there.minor >= prop->major * 10 + prop->minor &&
        there.totalGlobalMem >= prop->totalGlobalMem &&
        there.multiProcessorCount >= prop->multiProcessorCount) {
      *device = n;
      return cudaSuccess;
    }
    if (there.major * 10 + there.minor > best_capability) {
      best_capability = there.major * 10 + there.minor;
      best = n;
    }
  }
  *device = best;
  return cudaSuccess;
}

// What cannot reach over to this host, whatever the device itself can.
static int attribute(const VirtualDevice& device, int which) {
  switch (which) {
    case cudaDevAttrIntegrated:
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrPageableMemoryAccess:
    case cudaDevAttrPageableMemoryAccessUsesHostPageTables:
    case cudaDevAttrDirectManagedMemAccessFromHost:
    case cudaDevAttrHostNativeAtomicSupported:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrHostRegisterReadOnlySupported:
    case cudaDevAttrGPUDirectRDMASupported:
    case cudaDevAttrIpcEventSupport:
    case cudaDevAttrMemoryPoolSupportedHandleTypes:
    case cudaDevAttrSparseCudaArraySupported:
    case cudaDevAttrTimelineSemaphoreInteropSupported:
    case cudaDevAttrDeferredMappingCudaArraySupported: return 0;
    case cudaDevAttrUnifiedAddressing: // an address says whose it is
    case cudaDevAttrCanMapHostMemory:  // pages are sent and fetched
    case cudaDevAttrManagedMemory:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrMemoryPoolsSupported: return 1;
    default: return device.attribute(which);
  }
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attr, int device) {
  if (!value || attr <= 0 || attr >= cudaDevAttrMax) return cudaErrorInvalidValue;
  *value = attribute(device_at(device), attr);
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* prop, int device) {
  if (!prop) return cudaErrorInvalidValue;
  VirtualDevice& d = device_at(device);
  const auto a = [&](cudaDeviceAttr which) { return attribute(d, which); };
  *prop = {};
  std::snprintf(prop->name, sizeof prop->name, "%s", d.about().name.c_str());
  std::memcpy(prop->uuid.bytes, d.about().uuid.data(),
              std::min(sizeof prop->uuid.bytes, d.about().uuid.size()));
  prop->totalGlobalMem = d.about().total;
  prop->sharedMemPerBlock = a(cudaDevAttrMaxSharedMemoryPerBlock);
  prop->regsPerBlock = a(cudaDevAttrMaxRegistersPerBlock);
  prop->warpSize = a(cudaDevAttrWarpSize);
  prop->memPitch = a(cudaDevAttrMaxPitch);
  prop->maxThreadsPerBlock = a(cudaDevAttrMaxThreadsPerBlock);
  prop->maxThreadsDim[0] = a(cudaDevAttrMaxBlockDimX);
  prop->maxThreadsDim[1] = a(cudaDevAttrMaxBlockDimY);
  prop->maxThreadsDim[2] = a(cudaDevAttrMaxBlockDimZ);
  prop->maxGridSize[0] = a(cudaDevAttrMaxGridDimX);
  prop->maxGridSize[1] = a(cudaDevAttrMaxGridDimY);
  prop->maxGridSize[2] = a(cudaDevAttrMaxGridDimZ);
  prop->totalConstMem = a(cudaDevAttrTotalConstantMemory);
  prop->major = a(cudaDevAttrComputeCapabilityMajor);
  prop->minor = a(cudaDevAttrComputeCapabilityMinor);
  prop->textureAlignment = a(cudaDevAttrTextureAlignment);
  prop->texturePitchAlignment = a(cudaDevAttrTexturePitchAlignment);
  prop->surfaceAlignment = a(cudaDevAttrSurfaceAlignment);
  prop->multiProcessorCount = a(cudaDevAttrMultiProcessorCount);
  prop->concurrentKernels = a(cudaDevAttrConcurrentKernels);
  prop->ECCEnabled = a(cudaDevAttrEccEnabled);
  prop->pciBusID = a(cudaDevAttrPciBusId);
  prop->pciDeviceID = a(cudaDevAttrPciDeviceId);
  prop->pciDomainID = a(cudaDevAttrPciDomainId);
  prop->tccDriver = a(cudaDevAttrTccDriver);
  prop->asyncEngineCount = a(cudaDevAttrAsyncEngineCount);
  prop->canMapHostMemory = a(cudaDevAttrCanMapHostMemory);
  prop->managedMemory = a(cudaDevAttrManagedMemory);
  prop->unifiedAddressing = a(cudaDevAttrUnifiedAddressing);
  prop->memoryBusWidth = a(cudaDevAttrGlobalMemoryBusWidth);
  prop->l2CacheSize = a(cudaDevAttrL2CacheSize);
  prop->persistingL2CacheMaxSize = a(cudaDevAttrMaxPersistingL2CacheSize);
  prop->maxThreadsPerMultiProcessor = a(cudaDevAttrMaxThreadsPerMultiProcessor);
  prop->streamPrioritiesSupported = a(cudaDevAttrStreamPrioritiesSupported);
  prop->globalL1CacheSupported = a(cudaDevAttrGlobalL1CacheSupported);
  prop->localL1CacheSupported = a(cudaDevAttrLocalL1CacheSupported);
  prop->sharedMemPerMultiprocessor = a(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  prop->regsPerMultiprocessor = a(cudaDevAttrMaxRegistersPerMultiprocessor);
  prop->isMultiGpuBoard = a(cudaDevAttrIsMultiGpuBoard);
  prop->multiGpuBoardGroupID = a(cudaDevAttrMultiGpuBoardGroupID);
  prop->computePreemptionSupported = a(cudaDevAttrComputePreemptionSupported);
  prop->cooperativeLaunch = a(cudaDevAttrCooperativeLaunch);
  prop->sharedMemPerBlockOptin = a(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  prop->maxBlocksPerMultiProcessor = a(cudaDevAttrMaxBlocksPerMultiprocessor);
  prop->accessPolicyMaxWindowSize = a(cudaDevAttrMaxAccessPolicyWindowSize);
  prop->reservedSharedMemPerBlock = a(cudaDevAttrReservedSharedMemoryPerBlock);
  prop->hostRegisterSupported = a(cudaDevAttrHostRegisterSupported);
  prop->memoryPoolsSupported = a(cudaDevAttrMemoryPoolsSupported);
  prop->clusterLaunch = a(cudaDevAttrClusterLaunch);
  prop->gpuPciDeviceID = static_cast<unsigned>(a(cudaDevAttrGpuPciDeviceId));
  prop->gpuPciSubsystemID = static_cast<unsigned>(a(cudaDevAttrGpuPciSubsystemId));
  return cudaSuccess;
}

// Devices of several hosts may have the same bus number, so the number of the device stands in the place of the domain.
cudaError_t cudaDeviceGetPCIBusId(char* pciBusId, int len, int device) {
  VirtualDevice& d = device_at(device);
  if (!pciBusId || len < 13) return cudaErrorInvalidValue;
  std::snprintf(pciBusId, static_cast<std::size_t>(len), "%04x:%02x:%02x.0", device,
                d.attribute(cudaDevAttrPciBusId) & 0xff, d.attribute(cudaDevAttrPciDeviceId) & 0xff);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* pciBusId) {
  for (int n = 0; n < session().count(); ++n) {
    char there[32];
    served::cudaDeviceGetPCIBusId(there, sizeof there, n);
    if (std::strcmp(there, pciBusId)) continue;
    *device = n;
    return cudaSuccess;
  }
  return cudaErrorInvalidDevice;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  const bool some = current().attribute(cudaDevAttrStreamPrioritiesSupported) != 0;
  if (leastPriority) *leastPriority = 0;
  if (greatestPriority) *greatestPriority = some ? -5 : 0; // of every device since 7.0
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  VirtualDevice& device = current();
  none_captured(device);
  device.synchronize();
  device.check();
  return cudaSuccess;
}

// The program's memory, streams and events stay until it ends; what was issued is done.
cudaError_t cudaDeviceReset() { return served::cudaDeviceSynchronize(); }

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* pCacheConfig) {
  *pCacheConfig = cudaFuncCachePreferNone;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return cudaSuccess; // a preference
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* pConfig) {
  *pConfig = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return cudaSuccess; // of devices that are older than any served
}
cudaError_t cudaCtxResetPersistingL2Cache() {
  return cudaSuccess; // nothing persists: no access policy is passed on
}

// The driver's own first values; larger ones are refused, since the worker leaves them as they are.
static std::size_t limit_of(cudaLimit limit) {
  switch (limit) {
    case cudaLimitStackSize: return 1024;
    case cudaLimitPrintfFifoSize:
    case cudaLimitMallocHeapSize: return 8u << 20;
    default: throw Failure(Status::not_supported);
  }
}
cudaError_t cudaDeviceGetLimit(size_t* pValue, cudaLimit limit) {
  *pValue = limit_of(limit);
  return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  if (value <= limit_of(limit)) return cudaSuccess;
  return refuse("cudaDeviceSetLimit above the default", "keep within the driver's first values");
}

cudaError_t cudaDriverGetVersion(int* driverVersion) {
  *driverVersion = CUDART_VERSION; // a client without a driver has what its runtime needs
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* runtimeVersion) {
  *runtimeVersion = CUDART_VERSION;
  return cudaSuccess;
}

} // namespace tasuki::remote::served

// Declared by cuda_profiler_api.h.
extern "C" {
__attribute__((visibility("default"))) cudaError_t cudaProfilerStart() {
  return cudaSuccess; // a profiler looks at the server
}
__attribute__((visibility("default"))) cudaError_t cudaProfilerStop() { return cudaSuccess; }
}
