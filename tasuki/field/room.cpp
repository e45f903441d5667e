#include <tasuki/field/room.hpp>

#include <tasuki/base/executors.hpp>
#include <tasuki/base/log.hpp>
#include <tasuki/base/reduce.hpp>
#include <tasuki/device/memory.hpp>
#include <tasuki/field/memory_source.hpp>

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

bool goes_outside(const MemoryWish& wish) {
  if (wish.device.beside()) return false;
  World& world = wish.device.world();
  const std::string& executor = world.settings().executor;
  if (executor == row_of(ExecutorKind::streamed).name) return true;
  const Room& room = wish.device.part<Room>();
  const bool may_stream = executor == kAutoExecutor;
  if (!room.limited() || room.holds(wish.bytes, may_stream ? room.spare() : 0)) return false;
  if (!may_stream)
    throw Error("field '" + wish.field + "' of " + bytes_text(wish.bytes) + " does not fit: the device has " +
                    bytes_text(room.free()) + " left",
                "take --executor auto or streamed, a smaller grid or more ranks");
  log_info(world, [&] {
    return "field '" + wish.field + "' of " + bytes_text(wish.bytes) +
           " lies in host memory: the device has " + bytes_text(room.free()) + " left";
  });
  return true;
}

} // namespace tasuki
