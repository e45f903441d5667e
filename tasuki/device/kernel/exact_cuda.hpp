// Exact sums by the lanes of a warp, by the method of exact_bins.hpp, with the same anchors.
//
//   T x[N];  warp_exact<Bins>(x, [&](int round, int bin, double sum) { .. });
//
// All lanes call it. Each partial sum is passed to `put` in one lane; their total is exactly the sum of all x.
#pragma once

#include <tasuki/device/exact_sum.hpp>

#if defined(__CUDACC__)
#include <cuda_runtime.h>
#endif // otherwise tests/device/kernel/warp.hpp emulates it

namespace tasuki::detail {

inline constexpr unsigned kWholeWarp = 0xffffffffu;

__device__ inline void add_to_digit(long long* digit, long long amount) {
  atomicAdd(reinterpret_cast<unsigned long long*>(digit), static_cast<unsigned long long>(amount));
}
// Adds to digits that other threads may change at the same time.
__device__ inline void add_to_digits(long long* digit, double x) {
  exact_split(x, [&](int k, long long amount) { add_to_digit(digit + k, amount); });
}

// The leading bits of a number without its sign. Their order is that of the absolute values; they contain the exponent.
__device__ __forceinline__ unsigned head_of(double x) {
  return static_cast<unsigned>(__double2hiint(x)) & 0x7fffffffu;
}
__device__ __forceinline__ unsigned head_of(float x) { return __float_as_uint(x) & 0x7fffffffu; }
template <class T>
__device__ __forceinline__ int exponent_of(unsigned head) {
  if constexpr (sizeof(T) == 8) return static_cast<int>(head >> 20);
  const int exponent = static_cast<int>(head >> 23);
  return exponent == 255 ? 2047 : exponent - 127 + 1023;
}

__device__ __forceinline__ unsigned warp_max(unsigned value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(kWholeWarp, value);
#else
  for (int by = 16; by > 0; by /= 2) value = max(value, __shfl_xor_sync(kWholeWarp, value, by));
  return value;
#endif
}

// Sums over the lanes of one or two numbers per lane: lane 0 has the first sum, lane 16 the second.
template <int Bins>
__device__ __forceinline__ double warp_sum(const double (&part)[Bins]) {
  double kept = part[0];
  int by = 16;
  if constexpr (Bins == 2) {
    const bool upper = threadIdx.x & 16;
    kept = upper ? part[1] : part[0];
    kept += __shfl_xor_sync(kWholeWarp, upper ? part[0] : part[1], by);
    by = 8;
  }
#pragma unroll
  for (; by > 0; by /= 2) kept += __shfl_xor_sync(kWholeWarp, kept, by);
  return kept;
}

// Returns the number of rounds. One lane calls put(round, bin, sum); out(x) gets numbers without an anchor: very large
// ones, infinities and NaN.
template <int Bins, int N, class T, class Put, class Out>
__device__ __forceinline__ int warp_exact(T (&x)[N], const Put& put, const Out& out) {
  static_assert(Bins == 2 || (Bins == 1 && sizeof(T) < 8), "one bin does not reach a double's last place");
  static_assert(32 * N <= 1 << (53 - ExactAnchor::kBits),
                "so many are exact above an anchor, over the lanes");
  unsigned head = 0;
#pragma unroll
  for (int k = 0; k < N; ++k) head = max(head, head_of(x[k]));
  head = warp_max(head);
  if (exponent_of<T>(head) > ExactAnchor::kMostExponent) {
    head = 0;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      if (exponent_of<T>(head_of(x[k])) > ExactAnchor::kMostExponent) {
        out(static_cast<double>(x[k]));
        x[k] = 0;
      }
      head = max(head, head_of(x[k]));
    }
    head = warp_max(head);
  }
  int round = 0;
#pragma unroll 1
  for (;;) {
    const int exponent = exponent_of<T>(head);
    double anchor[Bins], sum[Bins];
#pragma unroll
    for (int bin = 0; bin < Bins; ++bin)
      sum[bin] = anchor[bin] = __longlong_as_double(ExactAnchor::bits(exponent, bin));
    unsigned left = 0;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      double rest = x[k];
#pragma unroll
      for (int bin = 0; bin < Bins; ++bin) {
        const double next = sum[bin] + rest;
        rest = (sum[bin] - next) + rest; // this order yields no negative zero
        sum[bin] = next;
      }
      x[k] = static_cast<T>(rest);
      left |= static_cast<unsigned>(__double2hiint(rest) | __double2loint(rest));
    }
#pragma unroll
    for (int bin = 0; bin < Bins; ++bin) sum[bin] -= anchor[bin];
    const double all = warp_sum<Bins>(sum);
    const unsigned lane = threadIdx.x % 32;
    if (lane == 0) put(round, 0, all);
    if (Bins == 2 && lane == 16) put(round, 1, all);
    ++round;
    if (!__any_sync(kWholeWarp, left != 0)) return round;
    head = 0;
#pragma unroll
    for (int k = 0; k < N; ++k) head = max(head, head_of(x[k]));
    head = warp_max(head);
  }
}

} // namespace tasuki::detail
