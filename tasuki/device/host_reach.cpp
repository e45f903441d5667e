#include <tasuki/device/host_reach.hpp>

#include <tasuki/device/cuda_backend.hpp>

namespace tasuki {

bool reaches_host(const Device& device) {
  if (!device.cuda()) return true;
  // Queried once: a process has one GPU, and the answer must be available even while a run ends after a CUDA error.
  static const bool reaches = cuda::reaches_host();
  return reaches;
}

} // namespace tasuki
