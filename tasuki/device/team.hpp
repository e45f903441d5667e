// A team of host threads that lasts for many steps: one parallel region.
#pragma once

#include <tasuki/base/world.hpp>

#include <omp.h>

#include <atomic>
#include <exception>
#include <functional>
#include <memory>

namespace tasuki {

// A piece of work that a team shares: part() by every thread, then fold() by one of them, when all have done theirs.
class HostTask {
public:
  virtual ~HostTask() = default;
  virtual int parts() const = 0; // more threads than that have nothing to do
  virtual void part(int thread, int threads) = 0;
  virtual void fold() {}
};

// What waiting threads do between two polls: little at first, then they yield the core.
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

// The threads of OpenMP, so that they are pinned as it pins them and memory lies where they first touched it.
class Team {
public:
  explicit Team(const World& world);

  int threads() const { return threads_; }

  // Calls work(thread, threads) on this many threads at once; the caller is thread 0. Returns when all
  // have finished. An exception of one thread ends the others at their next meeting, and is thrown here.
  void run(int threads, const std::function<void(int, int)>& work);

  // A meeting of all threads: thread 0 then does alone(), which sees all that was done
  // before; the others see alone()'s work when they go on. All threads of run() call it.
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
  struct Left {}; // thrown to leave once another thread has failed

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
  alignas(64) unsigned turn_ = 0; // of thread 0 alone, as is the next
  int present_ = 1;
  std::atomic<bool> failed_{false};
  std::exception_ptr fault_;
};

} // namespace tasuki
