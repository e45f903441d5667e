// A team of host threads that exists for many steps, in one parallel region.
#pragma once

#include <tasuki/base/world.hpp>

#include <omp.h>

#include <atomic>
#include <exception>
#include <functional>
#include <memory>

namespace tasuki {

// Work that the threads of a team share: each calls part(); when all are done, one of them calls fold().
class HostTask {
public:
  virtual ~HostTask() = default;
  virtual int parts() const = 0; // the most threads that have work
  virtual void part(int thread, int threads) = 0;
  virtual void fold() {}
};

// The pause of waiting threads between two polls: a pause instruction at first, later the core is yielded.
class Patience {
public:
  explicit Patience(bool crowded) : turns_(crowded ? kMost : 0) {}
  void pause() {
    if (turns_ < kMost)
      relax();
    else
      give_way();
  }

private:
  static constexpr int kMost = 512; // some tens of microseconds
  void relax() {
    ++turns_;
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
  static void give_way();
  int turns_;
};

// A team of OpenMP's threads: they keep OpenMP's pinning, and the NUMA locality of memory that they first touched.
class Team {
public:
  explicit Team(const World& world);

  int threads() const { return threads_; }

  // Calls work(thread, threads) on this many threads at once; the caller is thread 0. Returns when all
  // have finished. An exception in one thread ends the others at their next meet(), and is rethrown here.
  void run(int threads, const std::function<void(int, int)>& work);

  // A barrier of all threads of run(), with a serial part: thread 0 calls alone() after
  // all threads have arrived; the others continue after alone() has returned.
  template <class Alone>
  void meet(int thread, const Alone& alone) {
    if (thread == 0) {
      ++turn_;
      for (int t = 1; t < present_; ++t) await(seats_[t].turn, turn_);
      alone();
      if (present_ > 1) go_.turn.store(turn_, std::memory_order_release);
    } else {
      const unsigned turn = seats_[thread].turn.load(std::memory_order_relaxed) + 1;
      seats_[thread].turn.store(turn, std::memory_order_release);
      await(go_.turn, turn);
    }
  }

private:
  struct alignas(64) Seat {
    std::atomic<unsigned> turn{0};
  };
  struct Left {}; // thrown in the other threads after one has failed

  void await(const std::atomic<unsigned>& seat, unsigned turn) const {
    if (seat.load(std::memory_order_acquire) == turn) return;
    for (Patience patience(crowded_); seat.load(std::memory_order_acquire) != turn; patience.pause())
      if (failed_.load(std::memory_order_relaxed)) throw Left{};
  }
  void take_part(const std::function<void(int, int)>& work, int thread, int threads) noexcept;

  int threads_;
  bool crowded_;
  std::unique_ptr<Seat[]> seats_;
  alignas(64) Seat go_;
  alignas(64) unsigned turn_ = 0; // used by thread 0 only, like the next
  int present_ = 1;
  std::atomic<bool> failed_{false};
  std::exception_ptr fault_;
};

} // namespace tasuki
