#include <tasuki/device/host_reach.hpp>

#include <tasuki/device/cuda_backend.hpp>

namespace tasuki {

bool reaches_host(const Device& device) {
  if (!device.cuda()) return true;
  // Asked once: a process has one GPU, and who asks while a run ends after a fault must have an answer.
  static const bool reaches = cuda::reaches_host(device.ordinal());
  return reaches;
}

} // namespace tasuki
