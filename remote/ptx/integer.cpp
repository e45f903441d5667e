// Integers: add sub mul mad sad div rem abs neg min max, with carry, 24 bits, dot products (PTX ISA, 9.7.1).
#include <remote/ptx/map.hpp>

#include <limits>

namespace tasuki::remote::ptx {
namespace {

template <class T>
using Bits = std::make_unsigned_t<T>;
template <class T>
using Wider =
    std::conditional_t<sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

// Products of types of up to 64 bits; the low bits are valid.
template <class T>
std::uint64_t low(T a, T b) {
  return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b);
}
template <class T>
T high_of(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    using W = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return static_cast<T>((static_cast<W>(a) * static_cast<W>(b)) >> 64);
  } else {
    return static_cast<T>((static_cast<Wider<T>>(a) * static_cast<Wider<T>>(b)) >> (8 * sizeof(T)));
  }
}

template <class T>
struct Add {
  static T of(T a, T b) { return static_cast<T>(std::uint64_t(a) + std::uint64_t(b)); }
};
template <class T>
struct Sub {
  static T of(T a, T b) { return static_cast<T>(std::uint64_t(a) - std::uint64_t(b)); }
};
template <class T>
struct MulLow {
  static T of(T a, T b) { return static_cast<T>(low(a, b)); }
};
template <class T>
struct MulHigh {
  static T of(T a, T b) { return high_of(a, b); }
};
template <class T>
struct MadLow {
  static T of(T a, T b, T c) { return static_cast<T>(low(a, b) + std::uint64_t(c)); }
};
template <class T>
struct MadHigh {
  static T of(T a, T b, T c) { return static_cast<T>(std::uint64_t(high_of(a, b)) + std::uint64_t(c)); }
};
template <class T>
struct MulWide {
  static Wider<T> of(T a, T b) { return static_cast<Wider<T>>(low(a, b)); }
};
template <class T>
struct MadWide {
  static Wider<T> of(T a, T b, Wider<T> c) { return static_cast<Wider<T>>(low(a, b) + std::uint64_t(c)); }
};
template <class T>
struct Sad {
  static T of(T a, T b, T c) {
    return static_cast<T>(std::uint64_t(c) + (a < b ? std::uint64_t(b) - std::uint64_t(a)
                                                    : std::uint64_t(a) - std::uint64_t(b)));
  }
};
// Division by zero: all bits set, and the remainder is the dividend. The least number divided by -1 is itself.
template <class T>
struct Div {
  static T of(T a, T b) {
    if (b == 0) return static_cast<T>(~Bits<T>(0));
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return static_cast<T>(0 - std::uint64_t(a));
    return static_cast<T>(a / b);
  }
};
template <class T>
struct Rem {
  static T of(T a, T b) {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return 0;
    return static_cast<T>(a % b);
  }
};
template <class T>
struct Abs {
  static T of(T a) {
    return static_cast<T>(std::is_signed_v<T> && a < 0 ? 0 - std::uint64_t(a) : std::uint64_t(a));
  }
};
template <class T>
struct Neg {
  static T of(T a) { return static_cast<T>(0 - std::uint64_t(a)); }
};
template <class T>
struct Min {
  static T of(T a, T b) { return a < b ? a : b; }
};
template <class T>
struct Max {
  static T of(T a, T b) { return a < b ? b : a; }
};
struct AddSat {
  static std::int32_t of(std::int32_t a, std::int32_t b) { return clamp(std::int64_t(a) + b); }
  static std::int32_t clamp(std::int64_t v) {
    using Limits = std::numeric_limits<std::int32_t>;
    return static_cast<std::int32_t>(v < Limits::min()   ? Limits::min()
                                     : v > Limits::max() ? Limits::max()
                                                         : v);
  }
};
struct SubSat {
  static std::int32_t of(std::int32_t a, std::int32_t b) { return AddSat::clamp(std::int64_t(a) - b); }
};
struct MadHighSat {
  static std::int32_t of(std::int32_t a, std::int32_t b, std::int32_t c) {
    return AddSat::clamp(std::int64_t(high_of(a, b)) + c);
  }
};
// Of the low 24 bits of each operand.
template <class T>
struct Mul24 {
  static std::int64_t part(T a) {
    return static_cast<std::int64_t>(static_cast<T>(static_cast<Bits<T>>(a) << 8) >> 8);
  }
  static T of(T a, T b) { return static_cast<T>(part(a) * part(b)); }
};
template <class T>
struct Mul24High {
  static T of(T a, T b) { return static_cast<T>((Mul24<T>::part(a) * Mul24<T>::part(b)) >> 16); }
};
template <class T>
struct Mad24 {
  static T of(T a, T b, T c) { return static_cast<T>(Mul24<T>::part(a) * Mul24<T>::part(b) + c); }
};
// On pairs of 16 bits.
template <template <class> class F, class T>
struct Pair {
  static std::uint32_t of(std::uint32_t a, std::uint32_t b) {
    const auto one = [](std::uint32_t x, std::uint32_t y) {
      return static_cast<std::uint32_t>(
          static_cast<std::uint16_t>(F<T>::of(static_cast<T>(x), static_cast<T>(y))));
    };
    return one(a & 0xffff, b & 0xffff) | one(a >> 16, b >> 16) << 16;
  }
};
template <class A, class B, int Parts, bool Upper>
struct Dot {
  static std::uint32_t of(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    std::uint32_t sum = c;
    for (int k = 0; k < Parts; ++k) {
      const auto x = Parts == 4 ? std::int64_t(static_cast<A>(a >> (8 * k))) : wide<A>(a, k);
      sum += static_cast<std::uint32_t>(x * std::int64_t(static_cast<B>(b >> (8 * (k + (Upper ? 2 : 0))))));
    }
    return sum;
  }
  template <class T>
  static std::int64_t wide(std::uint32_t a, int k) {
    const auto half = static_cast<std::uint16_t>(a >> (16 * k));
    return std::is_signed_v<T> ? std::int64_t(static_cast<std::int16_t>(half)) : std::int64_t(half);
  }
};

// a + b + carry, or a - b - borrow; sets the condition code if requested.
template <class T, bool Minus>
void with_carry(Warp& w, const Op& op, Mask mask) {
  auto* to = w.at<Stored<T>>(op.d[0]);
  const auto* a = w.at<Stored<T>>(op.s[0]);
  const auto* b = w.at<Stored<T>>(op.s[1]);
  const bool in = op.flags & 1, out = op.flags & 2;
  Mask carry = 0;
  each(mask, [&](int lane) {
    const unsigned __int128 x = static_cast<T>(a[lane]), y = static_cast<T>(b[lane]),
                            c = in ? w.carry >> lane & 1 : 0;
    const unsigned __int128 sum = Minus ? x - y - c : x + y + c;
    carry |= static_cast<Mask>(static_cast<bool>(sum >> (8 * sizeof(T)) & 1)) << lane;
    to[lane] = static_cast<Stored<T>>(static_cast<T>(sum));
  });
  if (out) w.carry = (w.carry & ~mask) | carry;
}
// c plus the low or high half of a*b.
template <class T, bool High>
void mad_with_carry(Warp& w, const Op& op, Mask mask) {
  auto* to = w.at<Stored<T>>(op.d[0]);
  const auto* a = w.at<Stored<T>>(op.s[0]);
  const auto* b = w.at<Stored<T>>(op.s[1]);
  const auto* c = w.at<Stored<T>>(op.s[2]);
  const bool in = op.flags & 1, out = op.flags & 2;
  Mask carry = 0;
  each(mask, [&](int lane) {
    const T x = static_cast<T>(a[lane]), y = static_cast<T>(b[lane]);
    const T product = High ? high_of(x, y) : static_cast<T>(low(x, y));
    using U = Bits<T>;
    const unsigned __int128 sum = static_cast<unsigned __int128>(static_cast<U>(product)) +
                                  static_cast<U>(c[lane]) + (in ? w.carry >> lane & 1 : 0);
    carry |= static_cast<Mask>(static_cast<bool>(sum >> (8 * sizeof(T)) & 1)) << lane;
    to[lane] = static_cast<Stored<T>>(static_cast<U>(sum));
  });
  if (out) w.carry = (w.carry & ~mask) | carry;
}

template <template <class> class F, int Sources>
void simple(Body& b) {
  const Type t = b.type();
  if (Sources == 1)
    b.emit(integer_map<F, Sources>(b, t), t, {t});
  else if (Sources == 2)
    b.emit(integer_map<F, Sources>(b, t), t, {t, t});
  else
    b.emit(integer_map<F, Sources>(b, t), t, {t, t, t});
}

std::uint8_t carries(const Body& b, bool in) {
  return static_cast<std::uint8_t>((in ? 1 : 0) | (b.has("cc") ? 2 : 0));
}

template <bool Minus>
void carried(Body& b, bool in) {
  const Type t = b.type();
  const bool wide = bytes_of(t) == 8;
  b.emit(wide ? &with_carry<std::uint64_t, Minus> : &with_carry<std::uint32_t, Minus>, t, {t, t}).flags =
      carries(b, in);
}

template <template <class> class F>
bool pairs(Body& b) {
  const bool s = b.has("s16x2");
  if (!s && !b.has("u16x2")) return false;
  b.emit(s ? &map<Pair<F, std::int16_t>, std::uint32_t, std::uint32_t, std::uint32_t>
           : &map<Pair<F, std::uint16_t>, std::uint32_t, std::uint32_t, std::uint32_t>,
         Type::b32, {Type::b32, Type::b32});
  return true;
}

void add(Body& b) {
  if (pairs<Add>(b)) return;
  if (b.has("sat"))
    b.emit(&map<AddSat, std::int32_t, std::int32_t, std::int32_t>, Type::s32, {Type::s32, Type::s32});
  else if (b.has("cc"))
    carried<false>(b, false);
  else
    simple<Add, 2>(b);
}
void sub(Body& b) {
  if (b.has("sat"))
    b.emit(&map<SubSat, std::int32_t, std::int32_t, std::int32_t>, Type::s32, {Type::s32, Type::s32});
  else if (b.has("cc"))
    carried<true>(b, false);
  else
    simple<Sub, 2>(b);
}
template <template <class> class F>
void least(Body& b) {
  if (b.has("relu")) b.refuse();
  if (!pairs<F>(b)) simple<F, 2>(b);
}

template <class T>
constexpr Op::Run kMulWide = &map<MulWide<T>, Wider<T>, T, T>;
template <class T>
constexpr Op::Run kMadWide = &map<MadWide<T>, Wider<T>, T, T, Wider<T>>;

Type wider(Type t) {
  switch (t) {
    case Type::u16: return Type::u32;
    case Type::s16: return Type::s32;
    case Type::u32: return Type::u64;
    case Type::s32: return Type::s64;
    default: return Type::none;
  }
}

void mul(Body& b) {
  const Type t = b.type();
  if (b.has("hi")) return simple<MulHigh, 2>(b);
  if (!b.has("wide")) return simple<MulLow, 2>(b);
  const Op::Run run = t == Type::u16   ? kMulWide<std::uint16_t>
                      : t == Type::s16 ? kMulWide<std::int16_t>
                      : t == Type::u32 ? kMulWide<std::uint32_t>
                      : t == Type::s32 ? kMulWide<std::int32_t>
                                       : nullptr;
  if (!run) b.refuse();
  b.emit(run, wider(t), {t, t});
}
void mad_carried(Body& b, bool in) {
  const Type t = b.type();
  const bool high = b.has("hi");
  Op::Run run = nullptr;
  if (t == Type::u32)
    run = high ? &mad_with_carry<std::uint32_t, true> : &mad_with_carry<std::uint32_t, false>;
  if (t == Type::s32) run = high ? &mad_with_carry<std::int32_t, true> : &mad_with_carry<std::int32_t, false>;
  if (t == Type::u64)
    run = high ? &mad_with_carry<std::uint64_t, true> : &mad_with_carry<std::uint64_t, false>;
  if (t == Type::s64) run = high ? &mad_with_carry<std::int64_t, true> : &mad_with_carry<std::int64_t, false>;
  if (!run) b.refuse();
  b.emit(run, t, {t, t, t}).flags = carries(b, in);
}
void mad(Body& b) {
  const Type t = b.type();
  if (b.has("cc")) return mad_carried(b, false);
  if (b.has("sat")) {
    b.emit(&map<MadHighSat, std::int32_t, std::int32_t, std::int32_t, std::int32_t>, t, {t, t, t});
    return;
  }
  if (b.has("hi")) return simple<MadHigh, 3>(b);
  if (!b.has("wide")) return simple<MadLow, 3>(b);
  const Op::Run run = t == Type::u16   ? kMadWide<std::uint16_t>
                      : t == Type::s16 ? kMadWide<std::int16_t>
                      : t == Type::u32 ? kMadWide<std::uint32_t>
                      : t == Type::s32 ? kMadWide<std::int32_t>
                                       : nullptr;
  if (!run) b.refuse();
  b.emit(run, wider(t), {t, t, wider(t)});
}
void mul24(Body& b) {
  using U = std::uint32_t;
  using S = std::int32_t;
  const bool s = b.type() == Type::s32;
  if (b.has("hi"))
    b.emit(s ? &map<Mul24High<S>, S, S, S> : &map<Mul24High<U>, U, U, U>, b.type(), {b.type(), b.type()});
  else
    b.emit(s ? &map<Mul24<S>, S, S, S> : &map<Mul24<U>, U, U, U>, b.type(), {b.type(), b.type()});
}
void mad24(Body& b) {
  using U = std::uint32_t;
  using S = std::int32_t;
  if (b.has("hi")) b.refuse();
  b.emit(b.type() == Type::s32 ? &map<Mad24<S>, S, S, S, S> : &map<Mad24<U>, U, U, U, U>, b.type(),
         {b.type(), b.type(), b.type()});
}
template <int Parts, bool Upper>
Op::Run dot_of(bool a_signed, bool b_signed) {
  using W = std::uint32_t;
  using S = std::int8_t;
  using U = std::uint8_t;
  if (a_signed)
    return b_signed ? &map<Dot<S, S, Parts, Upper>, W, W, W, W> : &map<Dot<S, U, Parts, Upper>, W, W, W, W>;
  return b_signed ? &map<Dot<U, S, Parts, Upper>, W, W, W, W> : &map<Dot<U, U, Parts, Upper>, W, W, W, W>;
}
void dp4a(Body& b) {
  b.emit(dot_of<4, false>(is_signed(b.type(1)), is_signed(b.type())), Type::b32,
         {Type::b32, Type::b32, Type::b32});
}
void dp2a(Body& b) {
  const bool x = is_signed(b.type(1)), y = is_signed(b.type());
  b.emit(b.has("hi") ? dot_of<2, true>(x, y) : dot_of<2, false>(x, y), Type::b32,
         {Type::b32, Type::b32, Type::b32});
}

} // namespace

void add_integer_rules(Rules& r) {
  r["add"] = &add;
  r["sub"] = &sub;
  r["addc"] = [](Body& b) { carried<false>(b, true); };
  r["subc"] = [](Body& b) { carried<true>(b, true); };
  r["mul"] = &mul;
  r["mad"] = &mad;
  r["madc"] = [](Body& b) { mad_carried(b, true); };
  r["mul24"] = &mul24;
  r["mad24"] = &mad24;
  r["sad"] = &simple<Sad, 3>;
  r["div"] = &simple<Div, 2>;
  r["rem"] = &simple<Rem, 2>;
  r["abs"] = &simple<Abs, 1>;
  r["neg"] = &simple<Neg, 1>;
  r["min"] = &least<Min>;
  r["max"] = &least<Max>;
  r["dp4a"] = &dp4a;
  r["dp2a"] = &dp2a;
}

} // namespace tasuki::remote::ptx
