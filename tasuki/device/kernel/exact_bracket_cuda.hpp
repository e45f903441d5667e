// Whether an exact sum lies beyond a threshold, without working it out where a short look at its digits tells.
//
//   ExactBracket b = bracket_of(mine);   // by a warp, whose lanes share the digits: about what they make, and their sizes
//   Side s = side_of<float>(all.sum, all.size, below, threshold);   // `all`: some brackets, added up
//
// `unsure` is for who then works the sum out: exact_value(). What is sure is what that would say.
#pragma once

#include <tasuki/device/kernel/exact_cuda.hpp>

namespace tasuki::detail {

// About: in single precision, of what goes from tile to tile as one word. NaN or infinite where it is not known.
struct ExactBracket {
  float sum, size;
};

enum class Side { within, beyond, unsure };

// What a digit stands for, about; in two factors, since one alone leaves the doubles.
TS_HD double about_digit(long long digit, int k) {
  if (k >= ExactSum::kDigits) return digit == 0 ? 0.0 : std::numeric_limits<double>::quiet_NaN();
  const long long half = static_cast<long long>(16 * k - 537 + 1023) << 52; // the root of 2^(32k - 1074)
  double root;
  memcpy(&root, &half, sizeof root);
  return static_cast<double>(digit) * root * root;
}

inline constexpr int kDigitsOfLane =
    (ExactSum::kSize + 31) / 32; // its own number and each 32 further, 0 past the last

// A warp's lanes call it, and all have the result.
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
  // A size of 0 says that all digits are.
  return {static_cast<float>(sum),
          size > 0 ? fmaxf(static_cast<float>(size), 0x1p-149f) : static_cast<float>(size)};
}

// On which side of the threshold, which is one of Number's, the exact sum of what up to 2^20 brackets stand for lies once
// it is rounded to a double and then to Number. `sum` and `size` may also be what doubles and their sizes make as they are
// added up, 2^32 of them. A size of 0: the sum is taken as it is.
//
// Each bracket is wrong by less than 2^-22 of its size (two roundings to float, and some of doubles), or by 2^-149 where
// floats end, and n doubles that are added up by less than n * 2^-53 of theirs; so the sum is off by less than `off`.
// Rounding keeps order: what both ends of the interval say holds for all between them.
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
