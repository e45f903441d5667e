// What bodies of groups are written with, whatever device they are for.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tasuki {

// Stands before the body of a lambda that is a phase, or a part of one: [&](int i, int slot) TS_LANE { .. }. It is then
// inlined so early that lanes become those of vectors on the host.
#define TS_LANE __attribute__((always_inline))

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
