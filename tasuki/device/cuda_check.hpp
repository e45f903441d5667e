// Every CUDA call is checked: TASUKI_CUDA(cudaMalloc(&p, n)). For *.cu files.
#pragma once

#include <tasuki/base/error.hpp>

#include <cuda_runtime.h>

#include <string>

namespace tasuki::cuda {

inline const char* mend_of(cudaError_t fault) {
  switch (fault) {
    case cudaErrorMemoryAllocation: return "use a smaller grid or more ranks";
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorSystemDriverMismatch: return "check the driver with nvidia-smi, or take --device host";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion: return "build for this GPU with -DCMAKE_CUDA_ARCHITECTURES=native";
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorLaunchFailure: return "find the kernel that did it with compute-sanitizer";
    case cudaErrorDevicesUnavailable:
      return "free the GPU of other programs, or choose with CUDA_VISIBLE_DEVICES";
    default: return "check the GPU with nvidia-smi";
  }
}

inline void check(cudaError_t fault, const char* call) {
  if (fault == cudaSuccess) return;
  cudaGetLastError(); // resets the error, which the next check would report again
  const std::string text = call;
  throw Error(text.substr(0, text.find('(')) + " failed: " + cudaGetErrorString(fault) + " (" +
                  cudaGetErrorName(fault) + ")",
              mend_of(fault));
}

} // namespace tasuki::cuda

#define TASUKI_CUDA(call) ::tasuki::cuda::check((call), #call)
