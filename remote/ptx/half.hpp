// The 16-bit types f16 and bf16, and the rounding of a double to them.
#pragma once

#include <remote/ptx/rounding.hpp>

#include <cfloat>

namespace tasuki::remote::ptx {

struct Half { // 1, 5 and 10 bits
  static constexpr int kMantissa = 10, kLeast = -14, kMost = 15;
  static constexpr std::uint16_t kNotANumber = 0x7fff;
};
struct Brain { // 1, 8 and 7 bits
  static constexpr int kMantissa = 7, kLeast = -126, kMost = 127;
  static constexpr std::uint16_t kNotANumber = 0x7fff;
};

template <class H>
inline double wide(std::uint16_t bits) {
  const int exponent = bits >> H::kMantissa & ((1 << (15 - H::kMantissa)) - 1);
  const int mantissa = bits & ((1 << H::kMantissa) - 1);
  double value = 0;
  if (exponent == (1 << (15 - H::kMantissa)) - 1)
    value = bits_as<double>(0x7ffull << 52 | static_cast<std::uint64_t>(mantissa) << (52 - H::kMantissa));
  else if (exponent == 0)
    value = std::ldexp(mantissa, H::kLeast - H::kMantissa);
  else
    value = std::ldexp(mantissa + (1 << H::kMantissa), exponent - 1 + H::kLeast - H::kMantissa);
  return bits >> 15 ? -value : value;
}

// A NaN of f64 as a half: its sign and the upper bits of its payload, quiet (compared with an H200).
template <class H>
inline std::uint16_t upper_bits(double nan) {
  const auto bits = bits_as<std::uint64_t>(quiet(nan));
  constexpr int kept = H::kMantissa;
  const std::uint64_t infinity = ((1ull << (15 - kept)) - 1) << kept;
  return static_cast<std::uint16_t>(bits >> 63 << 15 | infinity |
                                    (bits >> (52 - kept) & ((1ull << kept) - 1)));
}

// Rounds an exact value once.
template <class H>
inline std::uint16_t narrow(double value, Rounding mode) {
  if (value != value) return H::kNotANumber;
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  constexpr std::uint16_t infinity = ((1 << (15 - H::kMantissa)) - 1) << H::kMantissa;
  const double size = std::fabs(value);
  if (size == HUGE_VAL) return sign | infinity;
  if (size == 0) return sign;
  int exponent = std::ilogb(size);
  if (exponent < H::kLeast) exponent = H::kLeast;
  const double scaled = std::ldexp(size, H::kMantissa - exponent); // its integer part is what fits
  double whole = std::floor(scaled);
  const double rest = scaled - whole;
  const bool away = mode == Rounding::nearest ? rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2) != 0)
                    : mode == Rounding::zero  ? false
                    : mode == Rounding::down  ? sign && rest > 0
                                              : !sign && rest > 0;
  if (away) whole += 1;
  // Adding the exponent lets a carry of the mantissa increase it.
  const auto bits =
      static_cast<std::uint32_t>(whole) + (static_cast<std::uint32_t>(exponent - H::kLeast) << H::kMantissa);
  if (bits >= infinity) {
    const bool to_infinity =
        mode == Rounding::nearest || (mode == Rounding::down && sign) || (mode == Rounding::up && !sign);
    return static_cast<std::uint16_t>(sign | (to_infinity ? infinity : infinity - 1));
  }
  return static_cast<std::uint16_t>(sign | bits);
}

} // namespace tasuki::remote::ptx
