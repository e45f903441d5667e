#include <tasuki/field/room.hpp>

#include <tasuki/base/reduce.hpp>
#include <tasuki/device/memory.hpp>

#include <algorithm>
#include <utility>

namespace tasuki {

Room::Room(Device& device)
    : device_(device), limit_(device.beside() ? 0 : device.world().settings().device_memory) {}

bool Room::limited() const { return limit_ > 0 || device_.cuda(); }

std::size_t Room::free() const {
  const std::size_t there = free_memory(device_);
  return limit_ > 0 ? std::min(there, limit_ - std::min(limit_, taken_)) : there;
}

bool Room::holds(std::size_t bytes, std::size_t spare) const {
  return reduce_min(device_.world(), bytes + spare <= free() ? 1 : 0) == 1;
}

Room::Share::Share(Room& room, std::size_t bytes) : room_(&room), bytes_(bytes) { room.taken_ += bytes; }

Room::Share::~Share() {
  if (room_) room_->taken_ -= bytes_;
}

Room::Share::Share(Share&& other) noexcept
    : room_(std::exchange(other.room_, nullptr)), bytes_(other.bytes_) {}

Room::Share& Room::Share::operator=(Share&& other) noexcept {
  std::swap(room_, other.room_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

} // namespace tasuki
