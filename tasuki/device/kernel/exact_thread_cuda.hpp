// Exact sums of threads that go on for many cells: what warp_exact() does for a warp that has all its numbers at hand, for a
// thread that has some of them at a time.
//
//   ThreadBins bins;                      // of this thread
//   bins.begin();  bins.add(x, digits);   // x: some doubles, again and again
//   block_digits(bins, digits);           // all threads of the block: what they hold, to digits in shared memory
//
// What digits then have is exactly what all threads added since begin(), whatever they added and in whatever order.
#pragma once

#include <tasuki/device/kernel/exact_cuda.hpp>

namespace tasuki::detail {

// To a digit in shared memory, where a GPU adds 32 bits at a time: the carry of the lower half goes with the upper one.
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

// Two bins, as exact_bins.hpp has them, and the exponent that their anchors are for. That of the sum before is tried
// first. Numbers that they do not take as they stand make bins of their own, after what was in them went to the digits.
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
      double rest = (high - next) + x[k]; // in this order no zero is negative
      // As long as the sum has its anchor's exponent, x was no larger than it, and the rest is exact.
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

  // What they hold, together.
  __device__ __forceinline__ double high() const { return high_ - anchor(0); }
  __device__ __forceinline__ double low() const { return low_ - anchor(1); }

private:
  static constexpr int kExponent = static_cast<int>(0xfff00000u); // and the sign
  static constexpr int kRoom = 3; // bits that an anchor is higher than the number that it was made for

  __device__ __forceinline__ double anchor(int bin) const {
    return __longlong_as_double(ExactAnchor::bits(exponent_, bin));
  }

  template <int N>
  __device__ __forceinline__ void add_unlike(const double (&x)[N], long long* digits) {
    double here[N]; // its own, so that x needs no address
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

// What the bins of all threads of a block hold, to digits in shared memory: there once all threads have met.
__device__ inline void block_digits(const ThreadBins& bins, long long* digits) {
  const auto put = [&](double x) { add_to_near_digits(digits, x); };
  // At once: what the first bins hold is most often no larger than their anchors are for.
  double x[2] = {bins.high(), bins.low()};
  if (!__any_sync(kWholeWarp, x[0] != 0 || x[1] != 0)) return;
  warp_exact<2>(
      x, [&](int, int, double sum) { put(sum); }, put);
}

} // namespace tasuki::detail
