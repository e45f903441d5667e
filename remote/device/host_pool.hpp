// The threads that execute the blocks of launches.
#pragma once

#include <remote/ptx/grid.hpp>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace tasuki::remote {

class HostPool {
public:
  explicit HostPool(int threads);
  ~HostPool();

  // Executes all blocks of a grid, also on the calling thread. Throws ptx::Fault.
  void run(const std::shared_ptr<ptx::Grid>& grid, std::uint64_t blocks);
  int threads() const { return static_cast<int>(threads_.size()) + 1; }

private:
  void serve();

  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<std::shared_ptr<ptx::Grid>> grids_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

} // namespace tasuki::remote
