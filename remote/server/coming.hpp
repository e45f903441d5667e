// The lanes of a link to a worker: each comes by a thread of its own, once it has proven itself.
//
//   Coming coming(3);
//   coming.take(2, std::move(link));     // in any thread
//   auto lanes = coming.all(patience);   // waits for all three
#pragma once

#include <remote/link/link.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace tasuki::remote {

class Coming {
public:
  explicit Coming(std::size_t count) : lanes_(count), missing_(count) {}

  // Lanes are numbered from 1. One that was not announced, or is there already, is shut.
  void take(std::uint32_t number, std::unique_ptr<Link> lane) {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (number < 1 || number > lanes_.size() || lanes_[number - 1] || missing_ == 0) return;
    lanes_[number - 1] = std::move(lane);
    if (--missing_ == 0) all_here_.notify_all();
  }

  // Throws Error where one has not come in time.
  std::vector<std::unique_ptr<Link>> all(std::chrono::milliseconds patience) {
    std::unique_lock<std::mutex> guard(mutex_);
    if (!all_here_.wait_for(guard, patience, [this] { return missing_ == 0; }))
      throw Error("a lane of a client's has not come", "look at the network between");
    return std::move(lanes_);
  }

private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  std::vector<std::unique_ptr<Link>> lanes_;
  std::size_t missing_;
};

} // namespace tasuki::remote
