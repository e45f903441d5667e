// The functions of the driver that are used, looked up by name in libcuda.so.1.
#pragma once

#include <remote/device/status.hpp>

#include <cuda.h>

namespace tasuki::remote {

// clang-format off
#define TASUKI_DRIVER_CALLS(C) \
  C(cuInit) \
  C(cuDeviceGetCount) \
  C(cuDeviceGet) \
  C(cuDeviceGetName) \
  C(cuDeviceGetUuid) \
  C(cuDeviceTotalMem) \
  C(cuDeviceGetAttribute) \
  C(cuDevicePrimaryCtxRetain) \
  C(cuDevicePrimaryCtxRelease) \
  C(cuCtxSetCurrent) \
  C(cuCtxSynchronize) \
  C(cuGetErrorString) \
  C(cuMemGetInfo) \
  C(cuMemAddressReserve) \
  C(cuMemAddressFree) \
  C(cuMemCreate) \
  C(cuMemRelease) \
  C(cuMemMap) \
  C(cuMemUnmap) \
  C(cuMemSetAccess) \
  C(cuMemExportToShareableHandle) \
  C(cuMemImportFromShareableHandle) \
  C(cuDeviceCanAccessPeer) \
  C(cuMemHostRegister) \
  C(cuMemHostUnregister) \
  C(cuLibraryLoadData) \
  C(cuLibraryUnload) \
  C(cuLibraryGetKernel) \
  C(cuLibraryGetGlobal) \
  C(cuKernelGetParamInfo) \
  C(cuKernelGetAttribute) \
  C(cuKernelSetAttribute) \
  C(cuKernelGetFunction) \
  C(cuOccupancyMaxActiveBlocksPerMultiprocessor) \
  C(cuLaunchKernelEx) \
  C(cuMemcpyHtoDAsync) \
  C(cuMemcpyDtoHAsync) \
  C(cuMemcpyDtoDAsync) \
  C(cuMemcpy2DAsync) \
  C(cuMemsetD8Async) \
  C(cuMemsetD16Async) \
  C(cuMemsetD32Async) \
  C(cuMemsetD2D8Async) \
  C(cuMemsetD2D16Async) \
  C(cuMemsetD2D32Async) \
  C(cuStreamCreateWithPriority) \
  C(cuStreamDestroy) \
  C(cuStreamSynchronize) \
  C(cuStreamQuery) \
  C(cuStreamWaitEvent) \
  C(cuLaunchHostFunc) \
  C(cuStreamBatchMemOp) \
  C(cuStreamBeginCapture) \
  C(cuStreamEndCapture) \
  C(cuStreamIsCapturing) \
  C(cuGraphGetNodes) \
  C(cuGraphNodeGetType) \
  C(cuGraphHostNodeGetParams) \
  C(cuGraphInstantiate) \
  C(cuGraphUpload) \
  C(cuGraphLaunch) \
  C(cuGraphDestroy) \
  C(cuGraphExecDestroy) \
  C(cuEventCreate) \
  C(cuEventDestroy) \
  C(cuEventRecord) \
  C(cuEventSynchronize) \
  C(cuEventQuery) \
  C(cuEventElapsedTime)
// clang-format on

// cuda.h renames some functions by macros (cuMemGetInfo is cuMemGetInfo_v2), so members have the exported names.
struct DriverCalls {
#define TASUKI_DRIVER_CALL(name) decltype(&::name) name = nullptr;
  TASUKI_DRIVER_CALLS(TASUKI_DRIVER_CALL)
#undef TASUKI_DRIVER_CALL
};

// Throws DeviceError if there is no driver, or if it is older than CUDA 12.4.
const DriverCalls& driver();

} // namespace tasuki::remote
