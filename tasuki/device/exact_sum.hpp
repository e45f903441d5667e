// Sums that are exact until the last rounding, so that no order of additions can change them: a fixed-point number
// wide enough for every double ("small superaccumulator", R. Neal, arXiv:1505.05571), in 32-bit digits kept in
// 64-bit integers, so that digits of many partial sums just add.
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

// Calls put(index, amount) for each of the digits that size * 2^(at - 1074) touches (three at most). amount < 2^32 in size.
template <class Put>
TS_HD void exact_put(unsigned long long size, bool negative, int at, const Put& put) {
  const unsigned __int128 wide = static_cast<unsigned __int128>(size) << (at & 31);
  for (int k = 0; k < 3; ++k) {
    const long long part =
        static_cast<long long>(static_cast<unsigned long long>(wide >> (32 * k)) & 0xffffffffull);
    if (part != 0) put((at >> 5) + k, negative ? -part : part);
  }
}

// The same for the digits that x touches.
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

// Moves what exceeds 32 bits of every digit to the next.
TS_HD void exact_carry(long long* digit) {
  long long carry = 0;
  for (int k = 0; k < ExactSum::kDigits; ++k) {
    const long long v = digit[k] + carry;
    carry = k + 1 < ExactSum::kDigits ? v >> 32 : 0;
    digit[k] = k + 1 < ExactSum::kDigits ? v & 0xffffffffll : v;
  }
}

// The double nearest to the sum of so many digits, which are changed.
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
  // 64 bits from the first that is set, and a last one that says whether anything lies below: enough to round correctly.
  unsigned __int128 head = 0;
  for (int k = 0; k < 3; ++k)
    head = head << 32 | static_cast<unsigned __int128>(top - k >= 0 ? digit[top - k] : 0);
  int at = 32 * (top - 1) - 1074; // of the last of the 64 bits
  for (; !(head >> 95 & 1); --at) head <<= 1;
  unsigned long long bits = static_cast<unsigned long long>(head >> 32);
  bool below = static_cast<unsigned>(head) != 0;
  for (int k = top - 3; k >= 0 && !below; --k) below = digit[k] != 0;
  const double size = ldexp(static_cast<double>(bits | (below ? 1u : 0u)), at);
  return negative ? -size : size;
}
inline double exact_value(ExactSum sum) { return exact_value(sum.digit); }

// Anchors for numbers of this size, of a host's and of a GPU's bins.
struct ExactAnchor {
  // A bin takes numbers below 2^kBits units of its last place, some hundred before it is far from its anchor.
  static constexpr int kBits = 44;
  static constexpr int kApart =
      kBits + 1; // bits from a bin to the next: what is rounded off is half a unit at most
  static constexpr int kMostExponent =
      2000; // of a double as it stands in its bits: what is larger finds no anchor

  // The bits of the anchor for numbers below 2 * 2^(exponent - 1023).
  TS_HD static constexpr long long bits(int exponent, int bin) {
    const int least = 2 * kApart - 53; // so that the last place of the second bin is a double's last place
    const int of_anchor = (exponent > least ? exponent : least) + 1 + 52 - kBits - bin * kApart;
    return static_cast<long long>(of_anchor) << 52 | 1ll << 51;
  }
};

} // namespace tasuki
