// Functions of the driver by their names, so that the library does not link libcuda and starts on machines without a driver.
//
//   static const auto call = driver_function<PFN_cuMemUnmap_v10020>("cuMemUnmap", 10020);   // null: not there
#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime.h>

namespace tasuki::cuda {

template <class Function>
Function driver_function(const char* name, unsigned version) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t fault =
      cudaGetDriverEntryPointByVersion(name, &entry, version, cudaEnableDefault, &found);
  if (fault == cudaSuccess && found == cudaDriverEntryPointSuccess) return reinterpret_cast<Function>(entry);
  cudaGetLastError();
  return nullptr;
}

} // namespace tasuki::cuda
