// Rounding of f32 and f64 by the rounding mode of the processor, and the behaviour of PTX that differs from IEEE.
#pragma once

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace tasuki::remote::ptx {

enum class Rounding : std::uint8_t { nearest, zero, down, up };

// Sets the rounding mode during its lifetime. Operands must be loaded after its start, results stored before its end.
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

// The NaN result of every f32 instruction has these bits; f64 results keep the payload of an operand.
constexpr std::uint32_t kNaN = 0x7fffffffu;
inline float one_nan(float value) { return value != value ? bits_as<float>(kNaN) : value; }
inline double one_nan(double value) { return value; }

// A quiet NaN with the same payload and sign.
inline double quiet(double value) { return bits_as<double>(bits_as<std::uint64_t>(value) | 1ull << 51); }
inline float quiet(float value) { return bits_as<float>(bits_as<std::uint32_t>(value) | 1u << 22); }

// .ftz: a subnormal number becomes zero with its sign.
inline float flushed(float value) {
  return std::fabs(value) < 1.17549435e-38f ? std::copysign(0.0f, value) : value;
}
inline double flushed(double value) { return value; }

// .sat: clamps to [0, 1]; NaN becomes 0.
template <class T>
inline T saturated(T value) {
  return value > T(0) ? (value < T(1) ? value : T(1)) : T(0);
}

} // namespace tasuki::remote::ptx
