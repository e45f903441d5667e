// Whether all ranks can store into each other's memory, so that data between them does not pass through the host.
#pragma once

#include <tasuki/device/device.hpp>

namespace tasuki {

// A part of the device: device.part<Reach>(). Each rank tests its own links; a vote gives all ranks the same answer.
// The first use is collective.
class Reach {
public:
  explicit Reach(const Device& device);

  // Also false if --channel forces MPI messages: then no other communication between ranks is used.
  bool all() const { return all_; }

private:
  bool all_;
};

} // namespace tasuki
