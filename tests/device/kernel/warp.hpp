// Plays thread blocks and their warps on the host, with the words of CUDA that reductions use:
//
//   test::Warps warps(seed);
//   warps.run({blocks}, [&] { .. x += __shfl_xor_sync(~0u, x, 16); __syncthreads(); .. });
//
// Include this before the kernel's headers. Threads are contexts that take turns where they wait for each other: it is
// drawn by lot whose turn it is, and which block comes next, so that the seed tells every order. What is shared by a
// block is static: a block finds there what the one before it has left. The blocks of thread_block.hpp are host threads
// instead: a sanitizer sees more of them, but no seed tells their order.
#pragma once

#include <tasuki/device/kernel/bound.hpp>

#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using std::max;
using std::min;

struct Index3 {
  unsigned x = 0, y = 0;
};
inline Index3 threadIdx, blockIdx, gridDim;

namespace tasuki::test {

class Warps {
public:
  explicit Warps(std::uint64_t seed) : random_(seed), threads_(kThreads) {
    for (Thread& t : threads_) t.stack = std::make_unique<char[]>(kStack);
  }
  Warps(const Warps&) = delete;
  Warps& operator=(const Warps&) = delete;

  // Throws where a GPU would hang or worse: threads that wait for others that do something else, or have ended.
  void run(Index3 grid, const std::function<void()>& kernel) {
    current_ = this;
    kernel_ = &kernel;
    gridDim = grid;
    std::vector<Index3> blocks;
    for (unsigned y = 0; y < max(grid.y, 1u); ++y)
      for (unsigned x = 0; x < grid.x; ++x) blocks.push_back({x, y});
    std::shuffle(blocks.begin(), blocks.end(), random_);
    for (const Index3& block : blocks) {
      blockIdx = block;
      play_block();
    }
  }

  static Warps& current() { return *current_; }
  static unsigned lane() { return threadIdx.x % 32; }

  void sync_block() { wait_for(0, kThreads, "__syncthreads"); }
  // What lanes gave, lane by lane; good until the next time. `word`: what all of them do.
  template <class T>
  const T* give(const char* word, unsigned mask, T mine) {
    static_assert(sizeof(T) <= 8);
    if (mask != ~0u) throw std::logic_error("lanes of a mask are not played");
    Thread& me = threads_[threadIdx.x];
    // Two rooms in turn: who is a turn ahead waits there until all have read what they were given before.
    char* const given = given_[threadIdx.x / 32][me.turn++ % 2];
    std::memcpy(given + lane() * sizeof(T), &mine, sizeof mine);
    wait_for(threadIdx.x / 32 * 32, 32, word);
    return reinterpret_cast<const T*>(given);
  }

private:
  static constexpr unsigned kThreads = detail::kBlock;
  static constexpr std::size_t kStack = 128 << 10;

  struct Thread {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    const char* waits = nullptr; // for what; null: for its turn
    unsigned turn = 0;
    bool done = false;
    bool late = false; // of a warp that does nothing as long as another can go on
  };

  void play_block() {
    for (unsigned t = 0; t < kThreads; ++t) {
      Thread& thread = threads_[t];
      getcontext(&thread.context);
      thread.context.uc_stack.ss_sp = thread.stack.get();
      thread.context.uc_stack.ss_size = kStack;
      thread.context.uc_link = &scheduler_;
      makecontext(&thread.context, &Warps::enter, 0);
      thread.waits = nullptr;
      thread.done = false;
      thread.late = t % 32 ? threads_[t - 1].late : random_() % 2;
      ready_[thread.late].push_back(t);
    }
    while (!ready_[0].empty() || !ready_[1].empty()) {
      std::vector<unsigned>& ready = ready_[ready_[0].empty()];
      std::swap(ready[random_() % ready.size()], ready.back());
      threadIdx.x = ready.back();
      ready.pop_back();
      swapcontext(&scheduler_, &threads_[threadIdx.x].context);
    }
    for (const Thread& thread : threads_)
      if (!thread.done) throw std::logic_error("threads wait for ever: " + std::string(thread.waits));
  }
  static void enter() {
    (*current_->kernel_)();
    current_->threads_[threadIdx.x].done = true;
  }
  // Until all of so many threads wait for the same.
  void wait_for(unsigned first, unsigned count, const char* what) {
    const unsigned me = threadIdx.x;
    threads_[me].waits = what;
    bool all = true;
    for (unsigned t = first; t < first + count && all; ++t)
      all = threads_[t].waits && std::strcmp(threads_[t].waits, what) == 0;
    if (all)
      for (unsigned t = first; t < first + count; ++t) {
        threads_[t].waits = nullptr;
        ready_[threads_[t].late].push_back(t);
      }
    swapcontext(&threads_[me].context, &scheduler_);
  }

  std::mt19937_64 random_;
  std::vector<Thread> threads_;
  std::vector<unsigned> ready_[2]; // the second: late
  ucontext_t scheduler_;
  const std::function<void()>* kernel_ = nullptr;
  alignas(8) char given_[kThreads / 32][2][32 * 8];
  static inline Warps* current_ = nullptr;
};

} // namespace tasuki::test

inline void __syncthreads() { tasuki::test::Warps::current().sync_block(); }

#define __device__
#define __global__
#define __shared__ static
#define __forceinline__ inline
#define __launch_bounds__(...)

template <class T>
T __shfl_xor_sync(unsigned mask, T mine, int by) {
  using tasuki::test::Warps;
  return Warps::current().give("__shfl_xor_sync", mask, mine)[Warps::lane() ^ static_cast<unsigned>(by)];
}
template <class T>
T __shfl_down_sync(unsigned mask, T mine, int by) {
  using tasuki::test::Warps;
  const unsigned from = Warps::lane() + static_cast<unsigned>(by);
  return Warps::current().give("__shfl_down_sync", mask, mine)[from < 32 ? from : Warps::lane()];
}
template <class T>
T __shfl_sync(unsigned mask, T mine, int from) {
  return tasuki::test::Warps::current().give("__shfl_sync", mask, mine)[from];
}
inline void __syncwarp() { tasuki::test::Warps::current().give("__syncwarp", ~0u, 0); }
inline int __any_sync(unsigned mask, int mine) {
  const int* const given = tasuki::test::Warps::current().give("__any_sync", mask, mine);
  return std::any_of(given, given + 32, [](int each) { return each != 0; });
}

template <class To, class From>
To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}
inline int __double2hiint(double x) { return static_cast<int>(bits_as<std::uint64_t>(x) >> 32); }
inline int __double2loint(double x) { return static_cast<int>(bits_as<std::uint64_t>(x)); }
inline double __longlong_as_double(long long bits) { return bits_as<double>(bits); }
inline unsigned __float_as_uint(float x) { return bits_as<unsigned>(x); }

// One thread runs at a time, and gives no turn away here.
inline unsigned long long atomicAdd(unsigned long long* to, unsigned long long amount) {
  return std::exchange(*to, *to + amount);
}
inline unsigned atomicAdd(unsigned* to, unsigned amount) { return std::exchange(*to, *to + amount); }
inline unsigned atomicInc(unsigned* counter, unsigned last) { // one more, and after `last` 0
  return std::exchange(*counter, *counter >= last ? 0 : *counter + 1);
}
inline void __threadfence() {}
template <class T>
T __ldcg(const T* p) {
  return *p;
}
