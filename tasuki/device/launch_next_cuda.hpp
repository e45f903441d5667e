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

// The caller checks the launch.
inline void launch_next(const void* kernel, bool follows, dim3 blocks, unsigned threads,
                        std::size_t shared_bytes, cudaStream_t stream, void** arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = follows ? 1 : 0;
  cudaLaunchKernelExC(&config, kernel, arguments);
}
template <auto Kernel>
const void* address_of() {
  return reinterpret_cast<const void*>(Kernel);
}
template <auto Kernel>
bool follows() { // asked once
  static const bool can = can_follow(address_of<Kernel>());
  return can;
}
template <auto Kernel, class... A>
void launch_next(dim3 blocks, unsigned threads, std::size_t shared_bytes, cudaStream_t stream,
                 const A&... arguments) {
  const auto launch = [&]<class... P>(void (*)(P...), std::type_identity_t<P>... as_parameters) {
    void* list[] = {&as_parameters...};
    launch_next(address_of<Kernel>(), follows<Kernel>(), blocks, threads, shared_bytes, stream, list);
  };
  launch(Kernel, arguments...);
}

} // namespace tasuki::detail
