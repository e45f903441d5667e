// An event of the device that stays as long as somebody has it: one that is waited for is not recorded anew, nor destroyed.
//
//   auto here = std::make_shared<const Mark>(device, Mark::no_times);
//   device.record(here->id(), stream);
//   waiters.add([&device, here] { device.synchronize_event(here->id()); });
#pragma once

#include <remote/device/device.hpp>

namespace tasuki::remote {

class Mark {
public:
  static constexpr unsigned no_times = 2; // a flag, as CUDA has it

  Mark(Device& device, unsigned flags) : device_(device), flags_(flags), id_(device.create_event(flags)) {}
  ~Mark() {
    try {
      device_.destroy_event(id_);
    } catch (const DeviceError&) {
      // the device is faulted: whoever calls it next is told
    }
  }
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;

  EventId id() const { return id_; }
  unsigned flags() const { return flags_; }

private:
  Device& device_;
  const unsigned flags_;
  const EventId id_;
};

} // namespace tasuki::remote
