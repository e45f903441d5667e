#include <remote/ptx/grid.hpp>

#include <thread>

namespace tasuki::remote::ptx {
namespace {

constexpr int kTurns = 8;               // of a block's warps, before the next block runs
constexpr std::size_t kSetAside = 4096; // the most blocks that one thread has started and not ended

} // namespace

Grid::Grid(const Code& code, Launching launching)
    : code_(code), launching_(std::move(launching)), blocks_(launching_.grid.count()) {}

void Grid::work() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++workers_;
  }
  std::vector<std::unique_ptr<Block>> going;
  std::unique_ptr<Block> spare;
  std::uint64_t ended = 0;
  try {
    while (!stop_.load(std::memory_order_relaxed)) {
      if (going.size() < kSetAside) {
        const std::uint64_t index = all_taken() ? blocks_ : next_.fetch_add(1);
        if (index < blocks_) {
          going.push_back(spare ? std::move(spare) : std::make_unique<Block>(code_, launching_));
          going.back()->begin(index);
        }
      }
      if (going.empty()) break;
      bool moved = false;
      for (std::size_t k = going.size(); k-- > 0;) { // the newest first
        if (!going[k]->run(kTurns)) continue;
        moved = true;
        ++ended;
        spare = std::move(going[k]);
        going.erase(going.begin() + static_cast<std::ptrdiff_t>(k));
      }
      if (!moved) std::this_thread::yield();
    }
  } catch (const Fault& fault) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!fault_) fault_ = fault;
    stop_ = true;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  done_ += ended;
  --workers_;
  ended_.notify_all();
}

void Grid::wait() {
  std::unique_lock<std::mutex> lock(mutex_);
  ended_.wait(lock, [&] { return workers_ == 0 && (stop_ || done_ == blocks_); });
  if (fault_) throw Fault(*fault_);
}

} // namespace tasuki::remote::ptx
