#include <tasuki/device/host_reach.hpp>

#include <tasuki/device/cuda_backend.hpp>

namespace tasuki {

bool reaches_host(const Device& device) { return !device.cuda() || cuda::reaches_host(device.ordinal()); }

} // namespace tasuki
