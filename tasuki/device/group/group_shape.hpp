// The types that bodies of groups use, on any device.
#pragma once

#include <tasuki/base/macros.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tasuki {

// Precedes the body of a lambda that is a phase, or a part of one: [&](int i, int slot) TS_LANE { .. }. The lambda is
// then inlined early enough for lanes to become vector lanes on the host.
#define TS_LANE __attribute__((always_inline))

// Returns x, but hides its value from the GPU compiler, so that expressions of it are computed in place, and are not
// hoisted out of a loop, where they would occupy registers.
template <class T>
TS_HD T anew(T x) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, float>)
    asm volatile("" : "+f"(x));
  else if constexpr (sizeof(T) == 8)
    asm volatile("" : "+l"(x));
  else
    asm volatile("" : "+r"(x));
#endif
  return x;
}

struct GroupShape {
  int lanes = 0;
  std::size_t shared = 0;  // bytes that shared<T>() allocates at most, each array rounded up to 16
  std::size_t scratch = 0; // bytes of device memory per group, for data that does not fit into shared memory
};

// K words that are read in one access; K is 2 or 4.
template <int K>
struct alignas(4 * K) Element {
  std::uint32_t word[K];
};

} // namespace tasuki
