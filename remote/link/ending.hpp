// Why a link came to its end, said once and to everybody who waits at it.
#pragma once

#include <remote/link/link.hpp>

#include <mutex>
#include <string>

namespace tasuki::remote {

class Ending {
public:
  // The first reason stays: what comes later follows from it.
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
