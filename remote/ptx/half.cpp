// f16, bf16 and pairs of them: add sub mul fma neg abs min max ex2 tanh (PTX ISA, 9.7.4).
#include <remote/ptx/half.hpp>
#include <remote/ptx/map.hpp>

namespace tasuki::remote::ptx {
namespace {

constexpr std::uint8_t kSaturate = 2, kRelu = 4; // Op::flags

// The sum, rounded to odd if it is inexact, so that a second rounding gives the same result as a single one.
double odd_sum(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  const double from_b = sum - a, rest = (a - (sum - from_b)) + (b - from_b);
  if (rest == 0) return sum;
  const auto bits = bits_as<std::uint64_t>(sum);
  if (bits & 1) return sum;
  return std::nextafter(sum, rest > 0 ? HUGE_VAL : -HUGE_VAL);
}

struct Add {
  static double of(double a, double b) { return odd_sum(a, b); }
};
struct Sub {
  static double of(double a, double b) { return odd_sum(a, -b); }
};
struct Mul {
  static double of(double a, double b) { return a * b; }
};
struct Fma {
  static double of(double a, double b, double c) { return odd_sum(a * b, c); }
};
struct Min {
  static double of(double a, double b) {
    return a != a ? b : b != b ? a : a == b ? (std::signbit(a) ? a : b) : a < b ? a : b;
  }
};
struct Max {
  static double of(double a, double b) {
    return a != a ? b : b != b ? a : a == b ? (std::signbit(a) ? b : a) : a < b ? b : a;
  }
};
struct MinNaN {
  static double of(double a, double b) { return a != a ? a : b != b ? b : Min::of(a, b); }
};
struct MaxNaN {
  static double of(double a, double b) { return a != a ? a : b != b ? b : Max::of(a, b); }
};
struct Exp2 {
  static double of(double a) { return std::exp2(a); }
};
struct Tanh {
  static double of(double a) { return std::tanh(a); }
};

template <class F, class H, class... Bits>
std::uint16_t one(std::uint8_t flags, Bits... bits) {
  double value = F::of(wide<H>(bits)...);
  if (flags & kSaturate) value = saturated(value);
  if (flags & kRelu && value < 0) value = 0;
  return narrow<H>(value, Rounding::nearest);
}
template <class F, class H, int N, bool Pair>
void halves(Warp& w, const Op& op, Mask mask) {
  auto* to = w.at<std::uint32_t>(op.d[0]);
  const std::uint32_t* from[N];
  for (int k = 0; k < N; ++k) from[k] = w.at<std::uint32_t>(op.s[k]);
  for (Mask m = mask; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    std::uint32_t result = 0;
    for (int part = 0; part < (Pair ? 2 : 1); ++part) {
      const auto in = [&](int k) { return static_cast<std::uint16_t>(from[k][lane] >> (16 * part)); };
      std::uint32_t bits;
      if constexpr (N == 1)
        bits = one<F, H>(op.flags, in(0));
      else if constexpr (N == 2)
        bits = one<F, H>(op.flags, in(0), in(1));
      else
        bits = one<F, H>(op.flags, in(0), in(1), in(2));
      result |= bits << (16 * part);
    }
    to[lane] = result;
  }
}
template <class F, int N>
void rule(Body& b) {
  const Type t = b.type();
  const Op::Run run = t == Type::f16     ? &halves<F, Half, N, false>
                      : t == Type::f16x2 ? &halves<F, Half, N, true>
                      : t == Type::bf16  ? &halves<F, Brain, N, false>
                                         : &halves<F, Brain, N, true>;
  if (b.has("ftz") || b.has("oob") || b.has("xorsign")) b.refuse();
  const auto flags = static_cast<std::uint8_t>((b.has("sat") ? kSaturate : 0) | (b.has("relu") ? kRelu : 0));
  Op& op = N == 1 ? b.emit(run, t, {t}) : N == 2 ? b.emit(run, t, {t, t}) : b.emit(run, t, {t, t, t});
  op.flags = flags;
}
template <class F, class WithNaN>
void least(Body& b) {
  if (b.has("NaN"))
    rule<WithNaN, 2>(b);
  else
    rule<F, 2>(b);
}
template <bool Absolute>
void sign(Warp& w, const Op& op, Mask mask) {
  auto* to = w.at<std::uint32_t>(op.d[0]);
  const auto* from = w.at<std::uint32_t>(op.s[0]);
  each(mask, [&](int lane) { to[lane] = Absolute ? from[lane] & 0x7fff7fffu : from[lane] ^ 0x80008000u; });
}
template <bool Absolute>
void sign_rule(Body& b) {
  b.emit(&sign<Absolute>, b.type(), {b.type()});
}

} // namespace

void add_half_rules(Rules& r) {
  r["add/h"] = &rule<Add, 2>;
  r["sub/h"] = &rule<Sub, 2>;
  r["mul/h"] = &rule<Mul, 2>;
  r["fma/h"] = &rule<Fma, 3>;
  r["min/h"] = &least<Min, MinNaN>;
  r["max/h"] = &least<Max, MaxNaN>;
  r["neg/h"] = &sign_rule<false>;
  r["abs/h"] = &sign_rule<true>;
  r["ex2/h"] = &rule<Exp2, 1>;
  r["tanh/h"] = &rule<Tanh, 1>;
}

} // namespace tasuki::remote::ptx
