// Whether all ranks can store into each other's memory, so that nothing that goes between them needs the host.
#pragma once

#include <tasuki/device/device.hpp>

namespace tasuki {

// A part of the device: device.part<Reach>(). Each rank sees its own links; they vote, so that all have the same answer.
// Collective where it is made.
class Reach {
public:
  explicit Reach(const Device& device);

  // False too where --channel forces messages: who does that wants nothing else between ranks.
  bool all() const { return all_; }

private:
  bool all_;
};

} // namespace tasuki
