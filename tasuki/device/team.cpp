#include <tasuki/device/team.hpp>

#include <sched.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace tasuki {

void Patience::give_way() { sched_yield(); }

Team::Team(const World& world)
    : threads_(omp_get_max_threads()),
      crowded_(world.crowded()),
      seats_(std::make_unique<Seat[]>(static_cast<std::size_t>(threads_))) {}

void Team::take_part(const std::function<void(int, int)>& work, int thread, int threads) noexcept {
  try {
    work(thread, threads);
  } catch (const Left&) {
  } catch (...) {
    if (!failed_.exchange(true)) fault_ = std::current_exception();
  }
}

void Team::run(int threads, const std::function<void(int, int)>& work) {
  threads = std::min(threads, threads_);
  for (int t = 0; t < threads; ++t) seats_[t].turn.store(0, std::memory_order_relaxed);
  go_.turn.store(0, std::memory_order_relaxed);
  turn_ = 0;
  failed_.store(false);
  fault_ = nullptr;
  present_ = 1;
  if (threads == 1) {
    take_part(work, 0, 1);
  } else {
#if defined(__SANITIZE_THREAD__) // ThreadSanitizer does not understand the barriers of OpenMP's threads
    present_ = threads;
    std::vector<std::thread> others;
    for (int t = 1; t < threads; ++t) others.emplace_back([&, t] { take_part(work, t, threads); });
    take_part(work, 0, threads);
    for (std::thread& other : others) other.join();
#else
#pragma omp parallel num_threads(threads)
    {
      const int came = omp_get_num_threads(), thread = omp_get_thread_num();
      if (thread == 0) present_ = came;
      take_part(work, thread, came);
    }
#endif
  }
  if (fault_) std::rethrow_exception(fault_);
}

} // namespace tasuki
