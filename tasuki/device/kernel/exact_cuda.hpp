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
// Digits of a lane that shares them with its warp: lane + 32 m; 0 past the last.
inline constexpr int kDigitsOfLane = (ExactSum::kSize + 31) / 32;

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

// Sums over the lanes of `Values` numbers per lane, a power of 2. Lane k * 32 / Values has that of number k.
template <int Values>
__device__ __forceinline__ double warp_sum(double (&part)[Values]) {
  static_assert(Values <= 32 && (Values & (Values - 1)) == 0);
  int by = 16;
  if constexpr (Values > 1) { // each half of the lanes goes on with half of the numbers
#pragma unroll
    for (int values = Values / 2; values > 0; values /= 2, by /= 2) {
      const bool upper = threadIdx.x & static_cast<unsigned>(by);
#pragma unroll
      for (int k = 0; k < values; ++k) {
        const double kept = upper ? part[k + values] : part[k];
        part[k] = kept + __shfl_xor_sync(kWholeWarp, upper ? part[k] : part[k + values], by);
      }
    }
  }
  double kept = part[0];
#pragma unroll
  for (; by > 0; by /= 2) kept += __shfl_xor_sync(kWholeWarp, kept, by);
  return kept;
}

constexpr int power_of_2_from(int n) { return n <= 1 ? 1 : 2 * power_of_2_from((n + 1) / 2); }

// Several sums at once, whose shuffles overlap: x[s] is added to sum s. Returns the number of rounds, the same in all
// lanes. One lane calls put(s, round, bin, sum); out(s, x) gets numbers without an anchor: very large ones, infinities
// and NaN.
template <int Bins, int Sums, int N, class T, class Put, class Out>
__device__ __forceinline__ int warp_exact_sums(T (&x)[Sums][N], const Put& put, const Out& out) {
  static_assert(Bins == 2 || (Bins == 1 && sizeof(T) < 8), "one bin does not reach a double's last place");
  static_assert(32 * N <= 1 << (53 - ExactAnchor::kBits),
                "so many are exact above an anchor, over the lanes");
  constexpr int kValues = power_of_2_from(Sums * Bins);
  static_assert(kValues <= 32, "a sweep has at most 16 exact sums; add the others in a sweep of their own");
  unsigned head[Sums];
  const auto find_heads = [&] {
    bool large = false;
#pragma unroll
    for (int s = 0; s < Sums; ++s) {
      head[s] = 0;
#pragma unroll
      for (int k = 0; k < N; ++k) head[s] = max(head[s], head_of(x[s][k]));
    }
#pragma unroll
    for (int s = 0; s < Sums; ++s) {
      head[s] = warp_max(head[s]);
      large |= exponent_of<T>(head[s]) > ExactAnchor::kMostExponent;
    }
    return large;
  };
  if (find_heads()) {
#pragma unroll
    for (int s = 0; s < Sums; ++s)
#pragma unroll
      for (int k = 0; k < N; ++k)
        if (exponent_of<T>(head_of(x[s][k])) > ExactAnchor::kMostExponent) {
          out(s, static_cast<double>(x[s][k]));
          x[s][k] = 0;
        }
    find_heads();
  }
  int round = 0;
#pragma unroll 1
  for (;;) {
    double sum[kValues];
    unsigned left = 0;
#pragma unroll
    for (int s = 0; s < Sums; ++s) {
      const int exponent = exponent_of<T>(head[s]);
      double anchor[Bins];
#pragma unroll
      for (int bin = 0; bin < Bins; ++bin)
        sum[s * Bins + bin] = anchor[bin] = __longlong_as_double(ExactAnchor::bits(exponent, bin));
#pragma unroll
      for (int k = 0; k < N; ++k) {
        double rest = x[s][k];
#pragma unroll
        for (int bin = 0; bin < Bins; ++bin) {
          const double next = sum[s * Bins + bin] + rest;
          rest = (sum[s * Bins + bin] - next) + rest; // this order yields no negative zero
          sum[s * Bins + bin] = next;
        }
        x[s][k] = static_cast<T>(rest);
        left |= static_cast<unsigned>(__double2hiint(rest) | __double2loint(rest));
      }
#pragma unroll
      for (int bin = 0; bin < Bins; ++bin) sum[s * Bins + bin] -= anchor[bin];
    }
#pragma unroll
    for (int k = Sums * Bins; k < kValues; ++k) sum[k] = 0;
    const double all = warp_sum(sum);
    constexpr int kLanes = 32 / kValues; // that have the same sum
    const int lane = static_cast<int>(threadIdx.x % 32), value = lane / kLanes;
    if (lane % kLanes == 0 && value < Sums * Bins) put(value / Bins, round, value % Bins, all);
    ++round;
    if (!__any_sync(kWholeWarp, left != 0)) return round;
    find_heads();
  }
}

// The same of one sum: put(round, bin, sum), out(x).
template <int Bins, int N, class T, class Put, class Out>
__device__ __forceinline__ int warp_exact(T (&x)[N], const Put& put, const Out& out) {
  return warp_exact_sums<Bins>(
      reinterpret_cast<T(&)[1][N]>(x), [&](int, int round, int bin, double sum) { put(round, bin, sum); },
      [&](int, double alone) { out(alone); });
}

} // namespace tasuki::detail
