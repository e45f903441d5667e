// f32 and f64: add sub mul fma div rcp sqrt rsqrt abs neg min max ex2 lg2 sin cos tanh copysign testp (PTX ISA, 9.7.3).
// Rounded forms are IEEE's, bit for bit; .approx forms are computed by the C library.
#include <remote/ptx/map.hpp>
#include <remote/ptx/rounding.hpp>

#include <type_traits>

namespace tasuki::remote::ptx {
namespace {

constexpr std::uint8_t kFlush = 1, kSaturate = 2; // Op::flags; higher bits: the rounding

template <class T>
struct Add {
  static T of(T a, T b) { return a + b; }
};
template <class T>
struct Sub {
  static T of(T a, T b) { return a - b; }
};
template <class T>
struct Mul {
  static T of(T a, T b) { return a * b; }
};
template <class T>
struct Div {
  static T of(T a, T b) { return a / b; }
  static constexpr int kNaNs[] = {0, 1};
};
template <class T>
struct Fma {
  static T of(T a, T b, T c) { return std::fma(a, b, c); }
  static constexpr int kNaNs[] = {1, 2, 0};
};
template <class T>
struct Rcp {
  static T of(T a) { return T(1) / a; }
};
template <class T>
struct Sqrt {
  static T of(T a) { return std::sqrt(a); }
};
template <class T>
struct Rsqrt {
  static T of(T a) { return static_cast<T>(1.0 / std::sqrt(static_cast<double>(a))); }
};
template <class T>
struct Exp2 {
  static T of(T a) { return std::exp2(a); }
};
template <class T>
struct Log2 {
  static T of(T a) { return std::log2(a); }
};
template <class T>
struct Sin {
  static T of(T a) { return std::sin(a); }
};
template <class T>
struct Cos {
  static T of(T a) { return std::cos(a); }
};
template <class T>
struct Tanh {
  static T of(T a) { return std::tanh(a); }
};
// If one operand is NaN, the other is the result; -0 is less than +0.
template <class T>
struct Min {
  static T of(T a, T b) {
    return a != a ? b : b != b ? a : a == b ? (std::signbit(a) ? a : b) : a < b ? a : b;
  }
};
template <class T>
struct Max {
  static T of(T a, T b) {
    return a != a ? b : b != b ? a : a == b ? (std::signbit(a) ? b : a) : a < b ? b : a;
  }
};
template <class T>
struct MinNaN {
  static T of(T a, T b) { return a != a ? a : b != b ? b : Min<T>::of(a, b); }
};
template <class T>
struct MaxNaN {
  static T of(T a, T b) { return a != a ? a : b != b ? b : Max<T>::of(a, b); }
};
template <class T>
struct Abs {
  static T of(T a) { return std::fabs(a); }
};
template <class T>
struct Neg {
  static T of(T a) { return -a; }
};

template <class F, class T, std::size_t... K>
T call(const T* in, std::index_sequence<K...>) {
  return F::of(in[K]...);
}

// The order in which operands are tested for NaN; the first NaN is the result. Last operand first, but for div and fma.
template <class F, int N, class = void>
struct NaNs {
  static constexpr int at(int k) { return N - 1 - k; }
};
template <class F, int N>
struct NaNs<F, N, std::void_t<decltype(F::kNaNs)>> {
  static constexpr int at(int k) { return F::kNaNs[k]; }
};

// The NaN result of a GPU (compared with an H200): always the same for f32; for f64 that of an operand, made quiet.
template <class F, int N>
float with_nan(float value, const float*) {
  return one_nan(value);
}
template <class F, int N>
double with_nan(double value, const double* from) {
  if (value == value) return value;
  for (int k = 0; k < N; ++k)
    if (const double operand = from[NaNs<F, N>::at(k)]; operand != operand) return quiet(operand);
  return value;
}

template <class F, class T, class... Same>
void lanes_of(Warp& w, const Op& op, Mask mask, const Same*... from) {
  auto* to = w.at<Stored<T>>(op.d[0]);
  if (op.flags == 0) {
    each(mask, [&](int lane) {
      const T in[] = {get<T>(from, lane)...};
      put<T>(to, lane, with_nan<F, sizeof...(Same)>(call<F>(in, std::index_sequence_for<Same...>()), in));
    });
    return;
  }
  const bool flush = op.flags & kFlush, saturate = op.flags & kSaturate;
  const Rounded mode(static_cast<Rounding>(op.flags >> 2));
  const auto in = [&](T value) { return flush ? flushed(value) : value; };
  each(mask, [&](int lane) {
    const T of[] = {in(get<T>(from, lane))...};
    T value = with_nan<F, sizeof...(Same)>(call<F>(of, std::index_sequence_for<Same...>()), of);
    if (flush) value = flushed(value);
    if (saturate) value = saturated(value);
    put<T>(to, lane, value);
  });
}
template <class F, class T, int N>
void reals(Warp& w, const Op& op, Mask mask) {
  const auto* a = w.at<Stored<T>>(op.s[0]);
  if constexpr (N == 1)
    lanes_of<F, T>(w, op, mask, a);
  else if constexpr (N == 2)
    lanes_of<F, T>(w, op, mask, a, w.at<Stored<T>>(op.s[1]));
  else
    lanes_of<F, T>(w, op, mask, a, w.at<Stored<T>>(op.s[1]), w.at<Stored<T>>(op.s[2]));
}

std::uint8_t flags(const Body& b) {
  const Rounding r = b.has("rz")   ? Rounding::zero
                     : b.has("rm") ? Rounding::down
                     : b.has("rp") ? Rounding::up
                                   : Rounding::nearest;
  return static_cast<std::uint8_t>((b.has("ftz") ? kFlush : 0) | (b.has("sat") ? kSaturate : 0) |
                                   static_cast<int>(r) << 2);
}

template <template <class> class F, int N>
void rule(Body& b) {
  const Type t = b.type();
  if (b.has("f32x2")) b.refuse();
  const Op::Run run = t == Type::f32 ? &reals<F<float>, float, N> : &reals<F<double>, double, N>;
  const std::uint8_t how = flags(b);
  Op& op = N == 1 ? b.emit(run, t, {t}) : N == 2 ? b.emit(run, t, {t, t}) : b.emit(run, t, {t, t, t});
  op.flags = how;
}

template <template <class> class F, template <class> class WithNaN>
void least(Body& b) {
  if (b.has("xorsign") || b.count() != 3) b.refuse();
  if (b.has("NaN"))
    rule<WithNaN, 2>(b);
  else
    rule<F, 2>(b);
}

// Changes the sign bit, except that of a NaN.
template <class T, bool Absolute>
void sign(Warp& w, const Op& op, Mask mask) {
  auto* to = w.at<Stored<T>>(op.d[0]);
  const auto* from = w.at<Stored<T>>(op.s[0]);
  constexpr Stored<T> top = Stored<T>(1) << (8 * sizeof(T) - 1);
  each(mask, [&](int lane) {
    Stored<T> bits = Absolute ? from[lane] & ~top : from[lane] ^ top;
    const T value = bits_as<T>(from[lane]);
    if (value != value)
      bits = bits_as<Stored<T>>(sizeof(T) == 4 ? one_nan(value) : quiet(value)); // keeps its sign
    if constexpr (sizeof(T) == 4)
      if (op.flags & kFlush) bits = bits_as<Stored<T>>(flushed(bits_as<T>(bits)));
    to[lane] = bits;
  });
}
template <bool Absolute>
void sign_rule(Body& b) {
  const std::uint8_t how = flags(b);
  b.emit(b.type() == Type::f32 ? &sign<float, Absolute> : &sign<double, Absolute>, b.type(), {b.type()})
      .flags = how;
}

template <class T>
struct CopySign { // the bits of b with the sign of a
  static T of(T a, T b) {
    constexpr T top = T(1) << (8 * sizeof(T) - 1);
    return (b & ~top) | (a & top);
  }
};
void copysign(Body& b) {
  using U = std::uint32_t;
  using W = std::uint64_t;
  b.emit(b.type() == Type::f32 ? &map<CopySign<U>, U, U, U> : &map<CopySign<W>, W, W, W>, b.type(),
         {b.type(), b.type()});
}

enum class Test : std::uint8_t { finite, infinite, number, notanumber, normal, subnormal };
template <class T>
void test(Warp& w, const Op& op, Mask mask) {
  const auto* from = w.at<Stored<T>>(op.s[0]);
  Mask found = 0;
  for (Mask m = mask; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    const T a = get<T>(from, lane);
    const int kind = std::fpclassify(a);
    bool is = false;
    switch (static_cast<Test>(op.flags)) {
      case Test::finite: is = std::isfinite(a); break;
      case Test::infinite: is = kind == FP_INFINITE; break;
      case Test::number: is = kind != FP_NAN; break;
      case Test::notanumber: is = kind == FP_NAN; break;
      case Test::normal: is = kind == FP_NORMAL || kind == FP_ZERO; break;
      case Test::subnormal: is = kind == FP_SUBNORMAL; break;
    }
    if (is) found |= Mask(1) << lane;
  }
  Mask& to = w.predicate(op.d[0]);
  to = (to & ~mask) | found;
}
void testp(Body& b) {
  constexpr std::string_view names[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
  const std::int32_t from = b.source(b.operand(1), b.type()), to = b.predicate_target(b.operand(0));
  for (std::uint8_t k = 0; k < 6; ++k)
    if (b.has(names[k])) {
      Op& op = b.emit(b.type() == Type::f32 ? &test<float> : &test<double>);
      op.d[0] = to;
      op.s[0] = from;
      op.flags = k;
      return;
    }
  b.refuse();
}

} // namespace

void add_real_rules(Rules& r) {
  r["add/f"] = &rule<Add, 2>;
  r["sub/f"] = &rule<Sub, 2>;
  r["mul/f"] = &rule<Mul, 2>;
  r["fma/f"] = r["mad/f"] = &rule<Fma, 3>;
  r["div/f"] = &rule<Div, 2>;
  r["rcp/f"] = &rule<Rcp, 1>;
  r["sqrt/f"] = &rule<Sqrt, 1>;
  r["rsqrt/f"] = &rule<Rsqrt, 1>;
  r["abs/f"] = &sign_rule<true>;
  r["neg/f"] = &sign_rule<false>;
  r["min/f"] = &least<Min, MinNaN>;
  r["max/f"] = &least<Max, MaxNaN>;
  r["ex2/f"] = &rule<Exp2, 1>;
  r["lg2/f"] = &rule<Log2, 1>;
  r["sin/f"] = &rule<Sin, 1>;
  r["cos/f"] = &rule<Cos, 1>;
  r["tanh/f"] = &rule<Tanh, 1>;
  r["copysign/f"] = &copysign;
  r["testp/f"] = &testp;
}

} // namespace tasuki::remote::ptx
