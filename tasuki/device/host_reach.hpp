// Whether kernels of a device reach memory of the host (Memory::pinned).
//
//   if (!reaches_host(device)) // pack in memory of its own, and copy that
//
// A GPU of this machine does; one of another (`tasuki gpus run`) does not. True for the host.
#pragma once

#include <tasuki/device/device.hpp>

namespace tasuki {

bool reaches_host(const Device& device);

} // namespace tasuki
