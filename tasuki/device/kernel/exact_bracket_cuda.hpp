// Decides whether an exact sum is beyond a threshold, from a bracket of the sum where that suffices.
//
//   ExactBracket b = bracket_of(mine);   // by a warp, whose lanes share the digits: estimates of their sum and size
//   Side s = side_of<float>(all.sum, all.size, below, threshold);   // `all`: several brackets, added
//
// If the result is `unsure`, the caller computes exact_value(). Any other result agrees with exact_value().
#pragma once

#include <tasuki/device/kernel/exact_cuda.hpp>

namespace tasuki::detail {

// A single-precision estimate, so that it fits into one word between tiles. NaN or infinite if it is not known.
struct ExactBracket {
  float sum, size;
};

enum class Side { within, beyond, unsure };

// The approximate value of a digit; multiplied by two factors, since 2^(32k - 1074) alone may exceed a double's range.
TS_HD double about_digit(long long digit, int k) {
  if (k >= ExactSum::kDigits) return digit == 0 ? 0.0 : std::numeric_limits<double>::quiet_NaN();
  const long long half = static_cast<long long>(16 * k - 537 + 1023) << 52; // root of 2^(32k - 1074)
  double root;
  memcpy(&root, &half, sizeof root);
  return static_cast<double>(digit) * root * root;
}

// All lanes of a warp call it, and all get the result.
__device__ inline ExactBracket bracket_of(const long long (&mine)[kDigitsOfLane]) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  double sum = 0, size = 0;
#pragma unroll
  for (int k = 0; k < kDigitsOfLane; ++k) {
    const double x = about_digit(mine[k], lane + 32 * k);
    sum += x;
    size += fabs(x);
  }
#pragma unroll
  for (int by = 16; by > 0; by /= 2) {
    sum += __shfl_xor_sync(kWholeWarp, sum, by);
    size += __shfl_xor_sync(kWholeWarp, size, by);
  }
  // A size of 0 means that all digits are 0.
  return {static_cast<float>(sum),
          size > 0 ? fmaxf(static_cast<float>(size), 0x1p-149f) : static_cast<float>(size)};
}

// The side of the threshold, which is a Number, on which the exact sum lies once rounded to double and then to Number.
// `sum` and `size` are the sums of at most 2^20 brackets, or of at most 2^32 doubles and their absolute values. A size
// of 0 means that `sum` is exact.
//
// The error of a bracket is below 2^-22 of its size (two roundings to float, and some of doubles), or 2^-149 at the
// underflow limit of floats. The error of n added doubles is below n * 2^-53 of their size. So the sum's error is below
// `off`. Rounding is monotonic: if both ends of the interval lie on one side, every sum in it does.
template <class Number>
TS_HD Side side_of(double sum, double size, bool below, double threshold) {
  if (!(size < 1e300)) return Side::unsure;
  const double off = size > 0 ? size * 0x1p-18 + 0x1p-128 : 0;
  const auto says = [&](double x) {
    const auto rounded = static_cast<double>(static_cast<Number>(x));
    return below ? rounded < threshold : rounded > threshold;
  };
  const bool low = says(sum - off), high = says(sum + off);
  return low != high ? Side::unsure : low ? Side::beyond : Side::within;
}

} // namespace tasuki::detail
