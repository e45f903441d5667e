// How a kernel waits for a flag. For *.cu files and what they include.
#pragma once

#include <tasuki/device/signal.hpp>
#include <tasuki/device/watch.hpp>

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

// Waits until the flag has reached `turn` (as int(flag - turn) >= 0), which `rank` raises. False: it gave up.
__device__ __forceinline__ bool spin_until(const Flag* flag, Flag turn, const WatchHandle& watch, int rank) {
  constexpr unsigned kOften = 1024; // looks at the flag for one at the host's memory
  unsigned long long start = 0;
  for (unsigned looks = 1;; ++looks) {
    if (static_cast<int>(load_flag(flag) - turn) >= 0) return true;
    if (looks % kOften != 0) continue;
    if (*watch.give_up != 0) return false;
    const unsigned long long now = nanoseconds();
    if (start == 0) start = now;
    if (now - start < watch.bound) continue;
    atomicCAS_system(watch.whom, 0, rank < 0 ? -1 : rank + 1);
    *watch.give_up = 1; // the other waits of this device end as well
    __threadfence_system();
    return false;
  }
}

} // namespace tasuki::cuda
