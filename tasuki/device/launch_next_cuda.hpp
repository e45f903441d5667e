// Launches a kernel that begins with follow() (follow_cuda.hpp): close behind the one before, where GPU and code can.
//
//   launch_next<&kernel>(blocks, threads, shared_bytes, stream, arguments..);
//   check_launch("a sweep");
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

namespace tasuki::detail {

// Whether a kernel's code has follow(): code for older GPUs, translated for this one by the driver, has not.
inline bool can_follow(const void* kernel) {
  cudaFuncAttributes attributes{};
  int device = 0, major = 0;
  if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess || cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess) {
    cudaGetLastError(); // the launch reports it
    return false;
  }
  return major >= 9 && attributes.ptxVersion >= 90;
}

struct NextKernel {
  const void* address;
  bool follows;
};
template <auto Kernel>
NextKernel next_kernel() {
  const auto address = reinterpret_cast<const void*>(Kernel);
  static const bool follows = can_follow(address); // asked once
  return {address, follows};
}

// The caller checks the launch.
inline void launch_next(const NextKernel& kernel, dim3 blocks, unsigned threads, std::size_t shared_bytes,
                        cudaStream_t stream, void** arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = kernel.follows ? 1 : 0;
  cudaLaunchKernelExC(&config, kernel.address, arguments);
}
template <auto Kernel, class... A>
void launch_next(dim3 blocks, unsigned threads, std::size_t shared_bytes, cudaStream_t stream,
                 const A&... arguments) {
  const auto launch = [&]<class... P>(void (*)(P...), std::type_identity_t<P>... as_parameters) {
    void* list[] = {&as_parameters...};
    launch_next(next_kernel<Kernel>(), blocks, threads, shared_bytes, stream, list);
  };
  launch(Kernel, arguments...);
}

} // namespace tasuki::detail
