// What bodies of groups are written with, whatever device they are for.
#pragma once

#include <tasuki/base/macros.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tasuki {

// Stands before the body of a lambda that is a phase, or a part of one: [&](int i, int slot) TS_LANE { .. }. It is then
// inlined so early that lanes become those of vectors on the host.
#define TS_LANE __attribute__((always_inline))

// x itself, of which the compiler of a GPU knows nothing: what follows from it is worked out there, and not before a
// loop around it, to be held in registers meanwhile.
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
  std::size_t shared = 0;  // bytes that shared<T>() hands out at most, each array rounded up to 16
  std::size_t scratch = 0; // bytes of device memory a group, for what is too large to be shared
};

// K words that are read together, 2 or 4.
template <int K>
struct alignas(4 * K) Element {
  std::uint32_t word[K];
};

} // namespace tasuki
