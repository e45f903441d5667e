// Loads from shared memory that the compiler can merge, and asynchronous copies into shared memory.
#pragma once

#include <tasuki/base/macros.hpp>

namespace tasuki::detail {

#if defined(__CUDACC__)

// Loads a number from shared memory that no thread writes during this `step`. To the compiler it is arithmetic: two
// loads with equal address and step are merged, even across other loads and stores. The caller must pass a barrier
// before it starts a new step, whose number comes from pinned().
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
// Stores a number into shared memory; the next barrier makes it visible to the other threads of the block.
template <class T>
TS_DEVICE void store_near(unsigned address, const T& value) {
  if constexpr (sizeof(T) == 8) {
    unsigned long long word;
    memcpy(&word, &value, 8);
    asm volatile("st.shared.u64 [%0], %1;" ::"r"(address), "l"(word) : "memory");
  } else {
    unsigned word;
    memcpy(&word, &value, 4);
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(word) : "memory");
  }
}
// Loads a number that this thread stored, before it stores another in its place.
template <class T>
TS_DEVICE T load_own(unsigned address) {
  T value;
  if constexpr (sizeof(T) == 8) {
    unsigned long long word;
    asm volatile("ld.shared.u64 %0, [%1];" : "=l"(word) : "r"(address) : "memory");
    memcpy(&value, &word, 8);
  } else {
    unsigned word;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address) : "memory");
    memcpy(&value, &word, 4);
  }
  return value;
}
// Hides the value of a number from the compiler, which then cannot move its uses before preceding statements.
TS_DEVICE unsigned pinned(unsigned number) {
  asm volatile("" : "+r"(number)::"memory");
  return number;
}

// Copies *from, of 4 or 8 bytes, to shared memory. Complete after copies_have_come() of the same thread.
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
// The copies since the last group are a group; all groups but the last `Left` have come.
TS_DEVICE void copies_are_one_group() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int Left>
TS_DEVICE void copies_have_come_but() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Left) : "memory");
#endif
}

#else // a test that emulates a thread block on the host defines them: tests/device/thread_block.hpp

template <class T>
T load_near(unsigned address, unsigned step);
template <class T>
void store_near(unsigned address, const T& value);
template <class T>
T load_own(unsigned address);
unsigned pinned(unsigned number);
template <class T>
void copy_async(unsigned to, const T* from);
void copies_have_come();
void copies_are_one_group();
template <int Left>
void copies_have_come_but();

#endif

} // namespace tasuki::detail
