// How reals are rounded: to the nearest, or in a direction, by the processor's own mode; and what PTX does beside IEEE.
#pragma once

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace tasuki::remote::ptx {

enum class Rounding : std::uint8_t { nearest, zero, down, up };

// The processor's mode while it lives. Values have to come from memory after it and go there before it ends.
class Rounded {
public:
  explicit Rounded(Rounding mode) : changed_(mode != Rounding::nearest) {
    if (!changed_) return;
    old_ = std::fegetround();
    std::fesetround(mode == Rounding::zero   ? FE_TOWARDZERO
                    : mode == Rounding::down ? FE_DOWNWARD
                                             : FE_UPWARD);
  }
  ~Rounded() {
    if (changed_) std::fesetround(old_);
  }
  Rounded(const Rounded&) = delete;
  Rounded& operator=(const Rounded&) = delete;

private:
  bool changed_;
  int old_ = 0;
};

template <class To, class From>
inline To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

// Every NaN that an instruction of f32 makes has these bits; those of f64 keep their payload.
constexpr std::uint32_t kNaN = 0x7fffffffu;
inline float one_nan(float value) { return value != value ? bits_as<float>(kNaN) : value; }
inline double one_nan(double value) { return value; }

// A NaN with its payload and sign, that signals nothing.
inline double quiet(double value) { return bits_as<double>(bits_as<std::uint64_t>(value) | 1ull << 51); }
inline float quiet(float value) { return bits_as<float>(bits_as<std::uint32_t>(value) | 1u << 22); }

// .ftz: what is denormal is zero with its sign.
inline float flushed(float value) {
  return std::fabs(value) < 1.17549435e-38f ? std::copysign(0.0f, value) : value;
}
inline double flushed(double value) { return value; }

// .sat: to [0, 1], NaN is 0.
template <class T>
inline T saturated(T value) {
  return value > T(0) ? (value < T(1) ? value : T(1)) : T(0);
}

} // namespace tasuki::remote::ptx
