// Which parts of an array over devices the kernels of this rank reach, where these look it up: a byte for each step of 2 MiB, and
// a place for the first element that was not there. In memory that kernels and the host reach.
//
//   Reach reach = ..;                                  // a plain value, for kernels (DeviceArrays::reach())
//   if (!reach.has(byte, sizeof(T))) reach.note(byte); // in a kernel
#pragma once

#include <tasuki/base/macros.hpp>

namespace tasuki::space {

struct Missed { // the first one
  int taken;
  unsigned long byte; // of the array
};

struct Reach {
  static constexpr unsigned long kSpare = 1024; // bytes of the largest element

  Missed* missed;
  char* spare; // what an access that missed gets
  const unsigned char* steps;
  unsigned long step, bytes; // of a step, and of the array

  TS_HD bool has(unsigned long byte, unsigned long count) const {
    return byte < bytes && count <= bytes - byte && steps[byte / step] && steps[(byte + count - 1) / step];
  }
  TS_HD void note(unsigned long byte) const {
#if defined(__CUDA_ARCH__)
    const bool first = atomicCAS(&missed->taken, 0, 1) == 0;
#else
    int none = 0;
    const bool first =
        __atomic_compare_exchange_n(&missed->taken, &none, 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
    if (first) missed->byte = byte;
  }
};

} // namespace tasuki::space
