// How a kernel waits for a flag. For *.cu files and headers that they include.
#pragma once

#include <tasuki/device/signal/signal.hpp>
#include <tasuki/device/signal/watch.hpp>

namespace tasuki::cuda {

__device__ __forceinline__ Flag load_flag(const Flag* flag) {
  Flag seen;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
  return seen;
}
__device__ __forceinline__ void store_flag(Flag* flag, Flag value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}
__device__ __forceinline__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

// The bound of a wait: lasts() is called after every poll without success, and returns whether to poll again.
class Patience {
public:
  __device__ __forceinline__ explicit Patience(const WatchHandle& watch) : watch_(watch) {}

  // `rank`: the rank waited for; -1: unknown. False: the wait is given up, as are all other waits of this device.
  __device__ __forceinline__ bool lasts(int rank) {
    constexpr unsigned kOften = 1024; // polls per read of host memory
    if (++looks_ % kOften != 0) return true;
    if (*watch_.give_up != 0) return false;
    const unsigned long long now = nanoseconds();
    if (start_ == 0) start_ = now;
    if (now - start_ < watch_.bound) return true;
    atomicCAS_system(watch_.whom, 0, rank < 0 ? -1 : rank + 1);
    *watch_.give_up = 1;
    __threadfence_system();
    return false;
  }

private:
  const WatchHandle& watch_;
  unsigned looks_ = 0;
  unsigned long long start_ = 0;
};

// Waits until the flag that `rank` raises has reached `turn` (int(flag - turn) >= 0). False: the wait was given up.
__device__ __forceinline__ bool spin_until(const Flag* flag, Flag turn, const WatchHandle& watch, int rank) {
  for (Patience patience(watch);;) {
    if (static_cast<int>(load_flag(flag) - turn) >= 0) return true;
    if (!patience.lasts(rank)) return false;
  }
}

} // namespace tasuki::cuda
