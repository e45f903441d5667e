// Exact sums of threads that process many cells. warp_exact() needs all numbers of a warp at once; here a
// thread adds some numbers at a time.
//
//   ThreadBins bins;                      // of this thread
//   bins.begin();  bins.add(x, digits);   // x: some doubles; repeated
//   block_digits(bins, digits);           // by all threads of the block: adds their bins to digits in shared memory
//
// The digits are then exactly the sum of everything that the threads added since begin(), in any order.
#pragma once

#include <tasuki/device/kernel/exact_cuda.hpp>

namespace tasuki::detail {

// Adds to a digit in shared memory, with 32-bit atomics: the carry of the lower half is added to the upper half.
__device__ inline void add_to_near_digit(long long* digit, long long amount) {
  auto* const half = reinterpret_cast<unsigned*>(digit);
  const auto low = static_cast<unsigned>(amount);
  const unsigned before = atomicAdd(half, low);
  const unsigned high = static_cast<unsigned>(static_cast<unsigned long long>(amount) >> 32) +
                        (before + low < before ? 1u : 0u);
  if (high != 0) atomicAdd(half + 1, high);
}
__device__ inline void add_to_near_digits(long long* digits, double x) {
  exact_split(x, [&](int k, long long amount) { add_to_near_digit(digits + k, amount); });
}

// Two bins as in exact_bins.hpp, and the exponent of their anchors, which begin() takes over from the sum before.
// Numbers that do not fit move the contents of the bins to the digits, and the bins get new anchors.
class ThreadBins {
public:
  __device__ __forceinline__ void begin() {
    high_ = anchor(0);
    low_ = anchor(1);
  }

  template <int N>
  __device__ __forceinline__ void add(const double (&x)[N], long long* digits) {
    const int of_high = __double2hiint(anchor(0));
    double high = high_, low = low_;
    int odd = 0, left = 0;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      const double next = high + x[k];
      double rest = (high - next) + x[k]; // this order yields no negative zero
      // While the sum has its anchor's exponent, x is no larger than the sum, and the remainder is exact.
      odd |= __double2hiint(next) ^ of_high;
      high = next;
      const double below = low + rest;
      rest = (low - below) + rest;
      left |= __double2hiint(rest) | __double2loint(rest);
      low = below;
    }
    odd |= __double2hiint(low) ^ __double2hiint(anchor(1));
    if (((odd & kExponent) | left) == 0) {
      high_ = high;
      low_ = low;
    } else {
      add_unlike(x, digits);
    }
  }

  // The sum of the bins is high() + low().
  __device__ __forceinline__ double high() const { return high_ - anchor(0); }
  __device__ __forceinline__ double low() const { return low_ - anchor(1); }

private:
  static constexpr int kExponent = static_cast<int>(0xfff00000u); // mask of sign and exponent
  static constexpr int kRoom = 3; // bits by which a new anchor exceeds the largest number at hand

  __device__ __forceinline__ double anchor(int bin) const {
    return __longlong_as_double(ExactAnchor::bits(exponent_, bin));
  }

  template <int N>
  __device__ __forceinline__ void add_unlike(const double (&x)[N], long long* digits) {
    double here[N]; // a copy, so that x stays in registers
    int most = 0;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      here[k] = x[k];
      const int exponent = exponent_of<double>(head_of(x[k]));
      if (exponent <= ExactAnchor::kMostExponent) most = max(most, exponent);
    }
#pragma unroll 1
    for (int bin = 0; bin < 2; ++bin) add_to_near_digits(digits, bin == 0 ? high() : low());
    exponent_ = min(most + kRoom, ExactAnchor::kMostExponent);
    begin();
#pragma unroll 1
    for (int k = 0; k < N; ++k) {
      double rest = here[k];
      if (exponent_of<double>(head_of(rest)) <= ExactAnchor::kMostExponent) {
        const double next = high_ + rest;
        rest = (high_ - next) + rest;
        high_ = next;
        const double below = low_ + rest;
        rest = (low_ - below) + rest;
        low_ = below;
      }
      if (rest != 0) add_to_near_digits(digits, rest);
    }
  }

  double high_ = 0, low_ = 0;
  int exponent_ = 0;
};

// Adds the bins of all threads of a block to digits in shared memory. The result is valid after a barrier.
__device__ inline void block_digits(const ThreadBins& bins, long long* digits) {
  const auto put = [&](double x) { add_to_near_digits(digits, x); };
  // Both values in one call: high() rarely needs larger anchors than low().
  double x[2] = {bins.high(), bins.low()};
  if (!__any_sync(kWholeWarp, x[0] != 0 || x[1] != 0)) return;
  warp_exact<2>(
      x, [&](int, int, double sum) { put(sum); }, put);
}

} // namespace tasuki::detail
