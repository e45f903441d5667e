// A GPU of this host, through the documented functions of its driver, which is loaded when the first GPU is opened.
//
//   for (int gpu = 0; gpu < driver_gpus(); ++gpu) devices.push_back(open_driver(gpu));
#pragma once

#include <remote/device/device.hpp>

#include <memory>

namespace tasuki::remote {

// The number of GPUs of the driver; 0 without a driver.
int driver_gpus();

// Creates the GPU's context, which takes 0.2 to 0.6 s. Throws DeviceError: no driver, no such GPU, or a broken one.
std::unique_ptr<Device> open_driver(int gpu);

} // namespace tasuki::remote
