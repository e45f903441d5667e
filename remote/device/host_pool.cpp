#include <remote/device/host_pool.hpp>

#include <algorithm>

namespace tasuki::remote {

HostPool::HostPool(int threads) {
  for (int k = 1; k < threads; ++k) threads_.emplace_back([this] { serve(); });
}

HostPool::~HostPool() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
    more_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
}

void HostPool::run(const std::shared_ptr<ptx::Grid>& grid, std::uint64_t blocks) {
  if (blocks > 1 && !threads_.empty()) {
    const std::lock_guard<std::mutex> lock(mutex_);
    grids_.push_back(grid);
    more_.notify_all();
  }
  grid->work();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    grids_.erase(std::remove(grids_.begin(), grids_.end(), grid), grids_.end());
  }
  grid->wait();
}

void HostPool::serve() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    more_.wait(lock, [&] { return ending_ || !grids_.empty(); });
    if (ending_) return;
    const std::shared_ptr<ptx::Grid> grid = grids_.front();
    if (grid->all_taken()) {
      grids_.pop_front();
      continue;
    }
    lock.unlock();
    grid->work();
    lock.lock();
  }
}

} // namespace tasuki::remote
