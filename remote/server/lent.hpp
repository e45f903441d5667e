// Memory that a client of this host shares with this worker, registered with the device, so that copies need no staging.
//
//   lent.take(segment, bytes, link.take_file());     // throws what is wrong with it
//   unsigned char* p = lent.at(segment, offset, bytes);
//   auto last = lent.give_back(segment);             // it is unmapped where `last` is dropped
#pragma once

#include <remote/device/device.hpp>
#include <remote/wire/fields.hpp>

#include <memory>
#include <unordered_map>

namespace tasuki::remote {

class Lent {
public:
  class Segment;

  explicit Lent(Device& device) : device_(device) {}

  // The file is closed in any case. Its size must be sealed: else the client could take pages away beneath a copy.
  void take(u64 number, u64 bytes, int file);
  unsigned char* at(u64 number, u64 offset, u64 bytes) const; // throws where it is not there
  std::shared_ptr<Segment> give_back(u64 number);

private:
  Device& device_;
  std::unordered_map<u64, std::shared_ptr<Segment>> segments_;
};

} // namespace tasuki::remote
