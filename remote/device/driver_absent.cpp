// The driver's interface in a build without CUDA's headers: such a server has no GPUs.
#include <remote/device/driver.hpp>

namespace tasuki::remote {

int driver_gpus() { return 0; }

std::unique_ptr<Device> open_driver(int) {
  throw DeviceError(Status::no_device, "this build has no GPUs",
                    "build it where cuda.h is, or serve with --device host");
}

} // namespace tasuki::remote
