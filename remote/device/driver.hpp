// A GPU of this host, by the documented calls of its driver, which is looked for when the first one is opened.
//
//   for (int gpu = 0; gpu < driver_gpus(); ++gpu) devices.push_back(open_driver(gpu));
#pragma once

#include <remote/device/device.hpp>

#include <memory>

namespace tasuki::remote {

// How many GPUs the driver has; 0 where there is no driver.
int driver_gpus();

// Makes the GPU's context, which takes 0.2 to 0.6 s. Throws DeviceError: no driver, no such GPU, a GPU that is broken.
std::unique_ptr<Device> open_driver(int gpu);

} // namespace tasuki::remote
