// The blocks of a launch, executed by any number of threads that call work().
//
//   Grid grid(code, std::move(launching));
//   std::thread helper([&] { grid.work(); });
//   grid.work();
//   grid.wait(); // throws the Fault of a block
#pragma once

#include <remote/ptx/block.hpp>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>

namespace tasuki::remote::ptx {

class Grid {
public:
  Grid(const Code& code, Launching launching);

  // Executes blocks until none is left. A block that waits for another block is suspended while further ones are
  // started, so blocks may wait for each other.
  void work();
  bool all_taken() const { return next_.load(std::memory_order_relaxed) >= blocks_; }
  // Returns when every block has ended. Throws the first Fault.
  void wait();

private:
  const Code& code_;
  const Launching launching_;
  const std::uint64_t blocks_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable ended_;
  std::uint64_t done_ = 0;
  int workers_ = 0;
  std::optional<Fault> fault_;
};

} // namespace tasuki::remote::ptx
