// The reason why a link has ended, stored once and reported by every call on the link.
#pragma once

#include <remote/link/link.hpp>

#include <mutex>
#include <string>

namespace tasuki::remote {

class Ending {
public:
  // Only the first reason is kept, since later ones are its consequences.
  void because(const std::string& why) noexcept {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (!known_) {
      why_ = why;
      known_ = true;
    }
  }
  [[noreturn]] void raise(const std::string& peer, const std::string& otherwise) const {
    const std::lock_guard<std::mutex> guard(mutex_);
    throw LinkLost(
        known_ && !why_.empty() ? why_ : "the connection to " + peer + " is gone (" + otherwise + ")",
        "look whether its server still runs");
  }

private:
  mutable std::mutex mutex_;
  std::string why_;
  bool known_ = false;
};

} // namespace tasuki::remote
