// A launch: its blocks, taken one after another by as many threads as come.
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

  // Takes blocks until none is left, and ends those that it took. A block that waits for others is set aside while more
  // are taken, so blocks may wait for each other.
  void work();
  bool all_taken() const { return next_.load(std::memory_order_relaxed) >= blocks_; }
  // Until every block has ended. Throws the first Fault.
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
