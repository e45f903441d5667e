// A device by its kind, as the tests name it: driver, host, memory.
#pragma once

#include <remote/device/driver.hpp>
#include <remote/device/host.hpp>

#include <algorithm>
#include <string>

#include "memory_device.hpp"

namespace tasuki::remote {

inline std::unique_ptr<Device> open_any(const std::string& kind, int gpu) {
  if (kind == "driver") return open_driver(gpu % std::max(1, driver_gpus()));
  if (kind == "host") return open_host({});
  if (kind == "memory") return std::make_unique<MemoryDevice>();
  throw Error("no device of kind " + kind, "say driver, host or memory");
}

} // namespace tasuki::remote
