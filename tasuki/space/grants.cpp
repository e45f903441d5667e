#include <tasuki/space/grants.hpp>

namespace tasuki::space {

void Grants::give(std::uint64_t ticket) {
  const std::lock_guard lock(mutex_);
  given_.insert(ticket);
  given_now_.notify_all(); // with the lock: who goes on may end all of this
}

bool Grants::wait(std::uint64_t ticket, std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  return given_now_.wait_for(lock, most, [&] { return given_.erase(ticket) > 0; });
}

} // namespace tasuki::space
