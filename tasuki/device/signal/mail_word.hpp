// A word that contains its turn: a reader sees whether the word is new, and no fence is needed between a number and
// its flag. A store of 8 bytes is atomic, also in a neighbour's memory.
#pragma once

#include <tasuki/base/macros.hpp>

#if !defined(__CUDA_ARCH__)
#include <atomic>
#endif

namespace tasuki::detail {

TS_HD unsigned long long word_of(unsigned number, unsigned turn) {
  return number | static_cast<unsigned long long>(turn) << 32;
}
TS_HD unsigned number_of(unsigned long long word) { return static_cast<unsigned>(word); }
TS_HD unsigned turn_of(unsigned long long word) { return static_cast<unsigned>(word >> 32); }

// Words of different turns from one thread are ordered by the ends of kernels; on a host by release and acquire.
TS_HD void store_word(char* to, unsigned long long word) {
#if defined(__CUDA_ARCH__)
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
#else
  std::atomic_ref(*reinterpret_cast<unsigned long long*>(to)).store(word, std::memory_order_release);
#endif
}
TS_HD unsigned long long load_word(const char* from) {
#if defined(__CUDA_ARCH__)
  unsigned long long word;
  asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
  return word;
#else
  auto* at = reinterpret_cast<unsigned long long*>(const_cast<char*>(from));
  return std::atomic_ref(*at).load(std::memory_order_acquire);
#endif
}

} // namespace tasuki::detail
