// Arithmetic for which a GPU has an instruction and C++ does not. Results may differ between host and GPU.
#pragma once

#include <tasuki/base/macros.hpp>

#include <cstdint>
#include <cstring>

namespace tasuki {

// a b + c, rounded once if the processor has such an instruction; the same on all processors of one build.
TS_HD float fused(float a, float b, float c) {
#if defined(__CUDA_ARCH__) || defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}
TS_HD double fused(double a, double b, double c) {
#if defined(__CUDA_ARCH__) || defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

// 1/x: error at most 1 unit in the last place on a GPU, correctly rounded on the host. Not for denormal numbers.
TS_HD float fast_reciprocal(float x) {
#if defined(__CUDA_ARCH__)
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return 1.0f / x;
#endif
}

TS_HD std::uint32_t bits_of(float x) {
#if defined(__CUDA_ARCH__)
  return __float_as_uint(x);
#else
  std::uint32_t bits;
  std::memcpy(&bits, &x, 4);
  return bits;
#endif
}
TS_HD float float_of(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(bits);
#else
  float x;
  std::memcpy(&x, &bits, 4);
  return x;
#endif
}

// The integer nearest to x, which must be in the range of int.
TS_HD std::int32_t nearest(float x) {
#if defined(__CUDA_ARCH__)
  return __float2int_rn(x);
#else
  const float magic = 12582912.0f; // 1.5 * 2^23: the sum has no fractional bits; beyond 2^22, x needs none
  const float shifted = x + magic;
  const float whole = shifted - magic;
  return static_cast<std::int32_t>(x < 4194304.0f && x > -4194304.0f ? whole : x);
#endif
}

} // namespace tasuki
