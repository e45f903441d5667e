// Sums that are exact until the last rounding, and so independent of the order of the additions: a fixed-point number
// wide enough for every double ("small superaccumulator", R. Neal, arXiv:1505.05571), in 32-bit digits stored in
// 64-bit integers, so that partial sums are added digit by digit.
#pragma once

#include <tasuki/base/macros.hpp>

#include <cmath>
#include <cstring>
#include <limits>

namespace tasuki {

struct ExactSum {
  static constexpr int kDigits = 69; // 2098 bits and room for carries
  static constexpr int kNan = 69, kPlusInf = 70, kMinusInf = 71;
  static constexpr int kSize = 72;

  long long digit[kSize];
};

// Calls put(index, amount) for each nonzero digit (three at most) of size * 2^(at - 1074). |amount| < 2^32.
template <class Put>
TS_HD void exact_put(unsigned long long size, bool negative, int at, const Put& put) {
  const unsigned __int128 wide = static_cast<unsigned __int128>(size) << (at & 31);
  for (int k = 0; k < 3; ++k) {
    const long long part =
        static_cast<long long>(static_cast<unsigned long long>(wide >> (32 * k)) & 0xffffffffull);
    if (part != 0) put((at >> 5) + k, negative ? -part : part);
  }
}

// Calls put(index, amount) for each nonzero digit of x.
template <class Put>
TS_HD void exact_split(double x, const Put& put) {
  unsigned long long bits;
  memcpy(&bits, &x, sizeof bits);
  const int exponent = static_cast<int>((bits >> 52) & 0x7ff);
  unsigned long long mantissa = bits & 0xfffffffffffffull;
  const bool negative = bits >> 63;
  if (exponent == 0x7ff) {
    put(mantissa ? ExactSum::kNan : negative ? ExactSum::kMinusInf : ExactSum::kPlusInf, 1);
    return;
  }
  if (exponent != 0) mantissa |= 1ull << 52;
  exact_put(mantissa, negative, exponent != 0 ? exponent - 1 : 0, put);
}

// Propagates carries: the part of a digit above 32 bits is added to the next digit.
TS_HD void exact_carry(long long* digit) {
  long long carry = 0;
  for (int k = 0; k < ExactSum::kDigits; ++k) {
    const long long v = digit[k] + carry;
    carry = k + 1 < ExactSum::kDigits ? v >> 32 : 0;
    digit[k] = k + 1 < ExactSum::kDigits ? v & 0xffffffffll : v;
  }
}

// The double nearest to a sum: the size of digit `top`, the highest that is not 0, and of the two below it, and whether
// any digit below those is not 0.
TS_HD double exact_rounded(bool negative, int top, const long long (&digit)[3], bool below) {
  // The 64 leading bits, with a sticky bit last that is set if any lower bit is set: enough to round correctly.
  unsigned __int128 head = 0;
  for (int k = 0; k < 3; ++k) head = head << 32 | static_cast<unsigned __int128>(digit[k]);
  int at = 32 * (top - 1) - 1074; // exponent of the last of the 64 bits
  for (; !(head >> 95 & 1); --at) head <<= 1;
  const unsigned long long bits = static_cast<unsigned long long>(head >> 32);
  below = below || static_cast<unsigned>(head) != 0;
  const double size = ldexp(static_cast<double>(bits | (below ? 1u : 0u)), at);
  return negative ? -size : size;
}

// The double nearest to the sum that the digits represent. Changes the digits.
TS_HD double exact_value(long long* digit) {
  if (digit[ExactSum::kNan] || (digit[ExactSum::kPlusInf] && digit[ExactSum::kMinusInf]))
    return std::numeric_limits<double>::quiet_NaN();
  if (digit[ExactSum::kPlusInf]) return std::numeric_limits<double>::infinity();
  if (digit[ExactSum::kMinusInf]) return -std::numeric_limits<double>::infinity();
  exact_carry(digit);
  const bool negative = digit[ExactSum::kDigits - 1] < 0;
  if (negative) {
    for (int k = 0; k < ExactSum::kDigits; ++k) digit[k] = -digit[k];
    exact_carry(digit);
  }
  int top = ExactSum::kDigits - 1;
  while (top > 0 && digit[top] == 0) --top;
  if (digit[top] == 0) return 0;
  const long long leading[3] = {digit[top], top > 0 ? digit[top - 1] : 0, top > 1 ? digit[top - 2] : 0};
  bool below = false;
  for (int k = top - 3; k >= 0 && !below; --k) below = digit[k] != 0;
  return exact_rounded(negative, top, leading, below);
}
inline double exact_value(ExactSum sum) { return exact_value(sum.digit); }

// The anchors of bins (exact_bins.hpp) for numbers of a given exponent, the same on hosts and GPUs.
struct ExactAnchor {
  // A bin takes numbers below 2^kBits units of its last place; after some hundred of them it is still near its anchor.
  static constexpr int kBits = 44;
  static constexpr int kApart =
      kBits + 1; // bits from one bin to the next: the rounding error of a bin is at most half a unit
  static constexpr int kMostExponent =
      2000; // biased exponent of a double: numbers with a larger exponent have no anchor

  // The bits of the anchor for numbers below 2 * 2^(exponent - 1023).
  TS_HD static constexpr long long bits(int exponent, int bin) {
    const int least = 2 * kApart - 53; // then the last place of the second bin is a double's last place
    const int of_anchor = (exponent > least ? exponent : least) + 1 + 52 - kBits - bin * kApart;
    return static_cast<long long>(of_anchor) << 52 | 1ll << 51;
  }
};

} // namespace tasuki
