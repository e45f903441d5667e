// Whether kernels of a device can access host memory (Memory::pinned).
//
//   if (!reaches_host(device)) // pack in device memory, and copy that
//
// True for a GPU of this machine and for the host; false for a GPU of another machine (`tasuki gpus run`).
#pragma once

#include <tasuki/device/device.hpp>

namespace tasuki {

bool reaches_host(const Device& device);

} // namespace tasuki
