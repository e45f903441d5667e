// The device memory that is available for fields: all of it, or the part that --device-memory allows.
//
//   Room& room = device.part<Room>();
//   if (room.limited() && !room.holds(bytes)) ..    // on all ranks
//   if (goes_outside(wish)) ..                       // the rule for fields
#pragma once

#include <tasuki/device/device.hpp>

#include <cstddef>

namespace tasuki {

struct MemoryWish;

class Room {
public:
  explicit Room(Device& device);

  // False for a host without --device-memory: its fields lie in host memory in any case.
  bool limited() const;
  std::size_t free() const; // bytes of this rank's device, now
  // Whether every rank has space for its `bytes`, and for `spare` besides. Collective.
  bool holds(std::size_t bytes, std::size_t spare = 0) const;
  // The bytes that are reserved for the windows of fields in host memory.
  std::size_t spare() const { return device_.memory() / 16; }

  // A part of the room that is in use during the lifetime of this object.
  class Share {
  public:
    Share() = default;
    Share(Room& room, std::size_t bytes);
    ~Share();
    Share(Share&& other) noexcept;
    Share& operator=(Share&& other) noexcept;

  private:
    Room* room_ = nullptr;
    std::size_t bytes_ = 0;
  };

private:
  Device& device_;
  std::size_t limit_ = 0; // of --device-memory; 0: none
  std::size_t taken_ = 0;
};

// Whether a field is to lie in memory of the host, outside of its device: where the device of some rank has no room for it
// and --executor is auto, and wherever it is streamed. Throws Error where there is no room and another executor is asked for.
// Collective.
bool goes_outside(const MemoryWish& wish);

} // namespace tasuki
