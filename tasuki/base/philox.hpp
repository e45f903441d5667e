// Random numbers from a counter and a seed: equal arguments give equal numbers, on every rank and device.
//
//   struct Noise {
//     std::uint64_t seed;
//     TS_CELL void operator()(auto c, auto u) const {
//       const auto x = static_cast<std::uint32_t>(c[0]), y = static_cast<std::uint32_t>(c[1]);
//       u(c) = ts::unit_float(ts::philox({{x, y, 0, 0}}, seed).w[0]); // in (0, 1]
//     }
//   };
//
// The generator is Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11). It has
// no state, so numbers do not depend on the order of the draws. Nothing throws.
#pragma once

#include <tasuki/base/macros.hpp>

#include <cstdint>

namespace tasuki {

// Four words of 32 bits, w[0] to w[3].
struct Words {
  std::uint32_t w[4];
};

// Four random words of this counter and seed, uniform in 0 .. 2^32 - 1. Each bit of both arguments matters.
TS_HD Words philox(Words counter, std::uint64_t seed) {
  std::uint32_t k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
  std::uint32_t a = counter.w[0], b = counter.w[1], c = counter.w[2], d = counter.w[3];
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p = std::uint64_t{0xD2511F53u} * a, q = std::uint64_t{0xCD9E8D57u} * c;
    a = static_cast<std::uint32_t>(q >> 32) ^ b ^ k0;
    b = static_cast<std::uint32_t>(q);
    c = static_cast<std::uint32_t>(p >> 32) ^ d ^ k1;
    d = static_cast<std::uint32_t>(p);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {{a, b, c, d}};
}

// A number in (0, 1], never 0, so that its logarithm is finite: a float of 24 random bits, a double of 53.
TS_HD float unit_float(std::uint32_t word) { return (static_cast<float>(word >> 8) + 1.0f) * 0x1p-24f; }
TS_HD double unit_double(std::uint32_t high, std::uint32_t low) {
  return (static_cast<double>((std::uint64_t{high} << 32 | low) >> 11) + 1.0) * 0x1p-53;
}

} // namespace tasuki
