// Functions of the driver that the runtime gives by name. The driver is on another host; these few are made by the client:
// words that streams wait for, and where memory lies. Any other name is answered as one that this driver has not.
#include <remote/runtime/captures.hpp>
#include <remote/runtime/managed.hpp>

#include <served.hpp>

#include <cuda.h>

#include <cstring>

namespace tasuki::remote {

namespace {

template <class Do>
CUresult made_for_driver(Do&& served) {
  try {
    return served();
  } catch (const Failure& failure) {
    return static_cast<CUresult>(failure.status()); // one numbering
  } catch (const std::exception& e) {
    surprised("a call of the driver", e.what());
    return CUDA_ERROR_UNKNOWN;
  }
}

CUresult enqueue(CUstream stream, unsigned operation, CUdeviceptr at, u64 value, unsigned flags) {
  return made_for_driver([&] {
    const On on = resolve(stream);
    if (session().owner(at) != &on.device) return CUDA_ERROR_INVALID_VALUE;
    give_mirrored(on, {{at, 8}});
    on.device.busy();
    on.device.calls().post(call::WordOperation{on.stream, operation, at, value, flags});
    return CUDA_SUCCESS;
  });
}

CUresult wait_32(CUstream stream, CUdeviceptr at, cuuint32_t value, unsigned flags) {
  return enqueue(stream, CU_STREAM_MEM_OP_WAIT_VALUE_32, at, value, flags);
}
CUresult wait_64(CUstream stream, CUdeviceptr at, cuuint64_t value, unsigned flags) {
  return enqueue(stream, CU_STREAM_MEM_OP_WAIT_VALUE_64, at, value, flags);
}
CUresult write_32(CUstream stream, CUdeviceptr at, cuuint32_t value, unsigned flags) {
  return enqueue(stream, CU_STREAM_MEM_OP_WRITE_VALUE_32, at, value, flags);
}
CUresult write_64(CUstream stream, CUdeviceptr at, cuuint64_t value, unsigned flags) {
  return enqueue(stream, CU_STREAM_MEM_OP_WRITE_VALUE_64, at, value, flags);
}

CUresult batch(CUstream stream, unsigned count, CUstreamBatchMemOpParams* all, unsigned flags) {
  if (count > 256 || flags || (count && !all)) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned n = 0; n < count; ++n) {
    const CUstreamBatchMemOpParams& one = all[n]; // waits and writes lie alike
    CUresult result = CUDA_ERROR_NOT_SUPPORTED;
    switch (one.operation) {
      case CU_STREAM_MEM_OP_WAIT_VALUE_32:
      case CU_STREAM_MEM_OP_WAIT_VALUE_64:
        result =
            enqueue(stream, one.operation, one.waitValue.address, one.waitValue.value64, one.waitValue.flags);
        break;
      case CU_STREAM_MEM_OP_WRITE_VALUE_32:
      case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        result = enqueue(stream, one.operation, one.writeValue.address, one.writeValue.value64,
                         one.writeValue.flags);
        break;
      default: break;
    }
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

CUresult address_range(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr at) {
  return made_for_driver([&] {
    VirtualDevice* owner = session().owner(at);
    const auto range = owner ? owner->allocation(at) : std::nullopt;
    if (!range) return CUDA_ERROR_NOT_FOUND;
    if (base) *base = range->address;
    if (bytes) *bytes = range->bytes;
    return CUDA_SUCCESS;
  });
}

CUresult pointer_attribute(void* data, CUpointer_attribute which, CUdeviceptr at) {
  return made_for_driver([&] {
    VirtualDevice* owner = session().owner(at);
    const bool host = pinned(reinterpret_cast<const void*>(at)),
               device = !host && owner && owner->allocation(at);
    if (!data || (!device && !host)) return CUDA_ERROR_INVALID_VALUE;
    switch (which) {
      case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *static_cast<unsigned*>(data) = device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
        return CUDA_SUCCESS;
      case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *static_cast<int*>(data) = device ? owner->index() : thread().device;
        return CUDA_SUCCESS;
      case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *static_cast<unsigned*>(data) = device && mirrored(reinterpret_cast<const void*>(at));
        return CUDA_SUCCESS;
      default: return CUDA_ERROR_NOT_SUPPORTED;
    }
  });
}

struct Named {
  const char* name;
  unsigned since; // the version of CUDA that has it: of later forms (_v2) only what devices allow differs
  void* function;
};
const Named entries[] = {
    {"cuStreamWaitValue32", 8000, reinterpret_cast<void*>(wait_32)},
    {"cuStreamWaitValue64", 9000, reinterpret_cast<void*>(wait_64)},
    {"cuStreamWriteValue32", 8000, reinterpret_cast<void*>(write_32)},
    {"cuStreamWriteValue64", 9000, reinterpret_cast<void*>(write_64)},
    {"cuStreamBatchMemOp", 8000, reinterpret_cast<void*>(batch)},
    {"cuMemGetAddressRange", 3020, reinterpret_cast<void*>(address_range)},
    {"cuPointerGetAttribute", 4000, reinterpret_cast<void*>(pointer_attribute)},
};

// A name that is not there is no error of the call.
cudaError_t look_up(const char* symbol, void** funcPtr, unsigned cudaVersion,
                    cudaDriverEntryPointQueryResult* driverStatus) {
  if (!symbol || !funcPtr) return cudaErrorInvalidValue;
  *funcPtr = nullptr;
  auto found = cudaDriverEntryPointSymbolNotFound;
  for (const auto& entry : entries) {
    if (std::strcmp(symbol, entry.name)) continue;
    found = cudaVersion < entry.since ? cudaDriverEntryPointVersionNotSufficent : cudaDriverEntryPointSuccess;
    if (found == cudaDriverEntryPointSuccess) *funcPtr = entry.function;
  }
  if (driverStatus) *driverStatus = found;
  return cudaSuccess;
}

} // namespace

namespace served {

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** funcPtr, unsigned cudaVersion,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* driverStatus) {
  return look_up(symbol, funcPtr, cudaVersion, driverStatus);
}

// The version is that of the runtime.
cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** funcPtr, unsigned long long,
                                    cudaDriverEntryPointQueryResult* driverStatus) {
  return look_up(symbol, funcPtr, CUDART_VERSION, driverStatus);
}

} // namespace served
} // namespace tasuki::remote
