// Plays thread blocks on the host, so that kernels' walks can be tested, and sanitized, where no GPU is:
//
//   test::ThreadBlocks blocks(shared_bytes, test::Copies::late);
//   blocks.run(pieces, [&] { walk_column<..>(.., blockIdx.x, ..); });
//
// Include this before the kernel's headers. Threads are threads, so a sanitizer sees what no barrier orders.
#pragma once

#include <tasuki/device/kernel/bound.hpp>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstring>
#include <functional>
#include <limits>
#include <thread>
#include <vector>

using std::max;
using std::min;

struct Index3 {
  unsigned x = 0;
};
inline thread_local Index3 threadIdx, blockIdx;
void __syncthreads();

#include <tasuki/device/kernel/shared_cuda.hpp>

namespace tasuki::test {

// When an asynchronous copy comes: as soon as it can, which shows what is overwritten too early, or when it is waited
// for, which shows what is read too early.
enum class Copies { early, late };

class ThreadBlocks {
public:
  ThreadBlocks(std::size_t shared_bytes, Copies copies, int threads = detail::kBlock)
      : shared_(shared_bytes), copies_(copies), threads_(static_cast<unsigned>(threads)), barrier_(threads) {
    forget();
  }

  void run(unsigned blocks, const std::function<void()>& kernel) {
    current_ = this;
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < threads_; ++t)
      threads.emplace_back([this, t, blocks, &kernel] {
        threadIdx.x = t;
        for (unsigned b = 0; b < blocks; ++b) {
          blockIdx.x = b;
          kernel();
          if (shared_.empty()) continue; // its blocks need not wait for each other
          waiting_.clear();              // copies that nobody waited for
          wait();
          if (t == 0) forget();
          wait();
        }
      });
    for (std::thread& thread : threads) thread.join();
  }
  long outside() const { return outside_; } // accesses of shared memory that is not there

  static ThreadBlocks& current() { return *current_; }
  void wait() { barrier_.arrive_and_wait(); }
  template <class T>
  T load(unsigned address) {
    T value = std::numeric_limits<T>::quiet_NaN();
    if (has(address, sizeof(T))) std::memcpy(&value, shared_.data() + address, sizeof(T));
    return value;
  }
  template <class T>
  void store(unsigned address, const T& value) {
    if (has(address, sizeof(T))) std::memcpy(shared_.data() + address, &value, sizeof(T));
  }
  void copy(unsigned to, const void* from, std::size_t bytes) {
    if (!has(to, bytes)) return;
    if (copies_ == Copies::early)
      std::memcpy(shared_.data() + to, from, bytes);
    else
      waiting_.push_back({to, from, bytes, groups_});
  }
  void copies_are_one_group() { ++groups_; }
  // All copies but those of the last `left` groups.
  void copies_have_come(long left = -1) {
    std::erase_if(waiting_, [&](const Copy& c) {
      if (c.group >= groups_ - left) return false;
      std::memcpy(shared_.data() + c.to, c.from, c.bytes);
      return true;
    });
  }

private:
  struct Copy {
    unsigned to;
    const void* from;
    std::size_t bytes;
    long group;
  };
  void forget() { std::fill(shared_.begin(), shared_.end(), static_cast<char>(0xff)); } // no numbers
  bool has(unsigned address, std::size_t bytes) {
    const bool in = address % bytes == 0 && address + bytes <= shared_.size();
    if (!in) ++outside_;
    return in;
  }

  std::vector<char> shared_;
  Copies copies_;
  unsigned threads_;
  std::barrier<> barrier_;
  std::atomic<long> outside_ = 0;
  static inline thread_local std::vector<Copy> waiting_;
  static inline thread_local long groups_ = 0;
  static inline ThreadBlocks* current_ = nullptr;
};

} // namespace tasuki::test

inline void __syncthreads() { tasuki::test::ThreadBlocks::current().wait(); }

namespace tasuki::detail {

template <class T>
T load_near(unsigned address, unsigned) {
  return test::ThreadBlocks::current().load<T>(address);
}
template <class T>
void store_near(unsigned address, const T& value) {
  test::ThreadBlocks::current().store(address, value);
}
template <class T>
T load_own(unsigned address) {
  return test::ThreadBlocks::current().load<T>(address);
}
inline unsigned pinned(unsigned number) { return number; }
template <class T>
void copy_async(unsigned to, const T* from) {
  test::ThreadBlocks::current().copy(to, from, sizeof(T));
}
inline void copies_have_come() { test::ThreadBlocks::current().copies_have_come(); }
inline void copies_are_one_group() { test::ThreadBlocks::current().copies_are_one_group(); }
template <int Left>
void copies_have_come_but() {
  test::ThreadBlocks::current().copies_have_come(Left);
}

} // namespace tasuki::detail
