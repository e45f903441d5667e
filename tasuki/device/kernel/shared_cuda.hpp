// Shared memory as arithmetic, and copies into it that nobody waits for.
#pragma once

#include <tasuki/base/macros.hpp>

namespace tasuki::detail {

#if defined(__CUDACC__)

// A number of shared memory that no thread writes while `step` is what it is. To the compiler it is arithmetic: numbers
// of one step at one address are one, however many others are read or written between them. The last thing that a step
// does before it is pinned() anew is a barrier.
template <class T>
TS_DEVICE T load_near(unsigned address, unsigned step) {
  T value;
  if constexpr (sizeof(T) == 8) {
    unsigned long long word;
    asm("{ // %2\n ld.shared.u64 %0, [%1]; }" : "=l"(word) : "r"(address), "r"(step));
    memcpy(&value, &word, 8);
  } else {
    unsigned word;
    asm("{ // %2\n ld.shared.u32 %0, [%1]; }" : "=r"(word) : "r"(address), "r"(step));
    memcpy(&value, &word, 4);
  }
  return value;
}
// A number that the compiler knows nothing of, and that it cannot have before what stands above.
TS_DEVICE unsigned pinned(unsigned number) {
  asm volatile("" : "+r"(number)::"memory");
  return number;
}

// *from, of 4 or 8 bytes, to an address of shared memory. There once copies_have_come() returns, of this thread.
template <class T>
TS_DEVICE void copy_async(unsigned to, const T* from) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(sizeof(T)) : "memory");
#else
  if constexpr (sizeof(T) == 8) {
    unsigned long long word;
    memcpy(&word, from, 8);
    asm volatile("st.shared.u64 [%0], %1;" ::"r"(to), "l"(word) : "memory");
  } else {
    unsigned word;
    memcpy(&word, from, 4);
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(to), "r"(word) : "memory");
  }
#endif
}
TS_DEVICE void copies_have_come() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

#else // whoever plays a thread block on the host has these: tests/device/thread_block.hpp

template <class T>
T load_near(unsigned address, unsigned step);
unsigned pinned(unsigned number);
template <class T>
void copy_async(unsigned to, const T* from);
void copies_have_come();

#endif

} // namespace tasuki::detail
