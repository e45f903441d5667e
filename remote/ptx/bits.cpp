// Bits: and or xor not cnot shl shr shf lop3 popc clz bfind brev bfe bfi bmsk fns prmt szext (PTX ISA, 9.7.1 and 9.7.8).
#include <remote/ptx/map.hpp>

#include <algorithm>

namespace tasuki::remote::ptx {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

template <class T>
struct And {
  static T of(T a, T b) { return static_cast<T>(a & b); }
};
template <class T>
struct Or {
  static T of(T a, T b) { return static_cast<T>(a | b); }
};
template <class T>
struct Xor {
  static T of(T a, T b) { return static_cast<T>(a ^ b); }
};
template <class T>
struct Not {
  static T of(T a) { return static_cast<T>(~a); }
};
template <class T>
struct ConditionalNot {
  static T of(T a) { return a == 0 ? 1 : 0; }
};
template <class T>
struct Shl {
  static T of(T a, U32 n) { return n >= 8 * sizeof(T) ? T(0) : static_cast<T>(U64(a) << n); }
};
template <class T>
struct Shr {
  static T of(T a, U32 n) {
    return static_cast<T>(n >= 8 * sizeof(T) ? (std::is_signed_v<T> && a < 0 ? -1 : 0) : a >> n);
  }
};
template <bool Left, bool Wrap>
struct Funnel {
  static U32 of(U32 low, U32 high, U32 n) {
    n = Wrap ? n & 31 : std::min(n, 32u);
    const U64 both = U64(high) << 32 | low;
    return Left ? static_cast<U32>(n == 32 ? both : (both << n) >> 32) : static_cast<U32>(both >> n);
  }
};
template <class T>
struct Count {
  static U32 of(T a) { return static_cast<U32>(__builtin_popcountll(a)); }
};
template <class T>
struct LeadingZeros {
  static U32 of(T a) {
    return a == 0 ? 8 * sizeof(T) : static_cast<U32>(__builtin_clzll(a)) - (64 - 8 * sizeof(T));
  }
};
// The position of the highest bit that differs from the sign; all bits set if there is none.
template <class T, bool Shift>
struct FindHighest {
  static U32 of(T a) {
    if constexpr (std::is_signed_v<T>)
      if (a < 0) a = static_cast<T>(~a);
    if (a == 0) return ~0u;
    const U32 at = 63u - static_cast<U32>(__builtin_clzll(static_cast<U64>(a)));
    return Shift ? static_cast<U32>(8 * sizeof(T)) - 1 - at : at;
  }
};
template <class T>
struct Reverse {
  static T of(T a) {
    T r = 0;
    for (unsigned k = 0; k < 8 * sizeof(T); ++k)
      r = static_cast<T>(r | ((a >> k & 1) << (8 * sizeof(T) - 1 - k)));
    return r;
  }
};
template <class T>
struct Extract {
  static T of(T a, U32 from, U32 length) {
    from &= 0xff;
    length &= 0xff;
    const U32 most = 8 * sizeof(T) - 1;
    bool sign = false;
    if constexpr (std::is_signed_v<T>)
      sign = length > 0 && (std::make_unsigned_t<T>(a) >> std::min(from + length - 1, most) & 1);
    T r = 0;
    for (U32 k = 0; k <= most; ++k) {
      const bool bit =
          k < length && from + k <= most ? static_cast<std::make_unsigned_t<T>>(a) >> (from + k) & 1 : sign;
      r = static_cast<T>(r | static_cast<T>(static_cast<T>(bit) << k));
    }
    return r;
  }
};
template <class T>
struct Insert { // the low bits of a into b
  static T of(T a, T b, U32 from, U32 length) {
    from &= 0xff;
    length &= 0xff;
    for (U32 k = 0; k < length && from + k < 8 * sizeof(T); ++k)
      b = static_cast<T>((b & ~(T(1) << (from + k))) | ((a >> k & 1) << (from + k)));
    return b;
  }
};
template <bool Wrap>
struct MaskOf {
  static U32 of(U32 from, U32 length) {
    if (Wrap) {
      from &= 31;
      length &= 31;
    }
    if (from >= 32 || length == 0) return 0;
    return static_cast<U32>((length >= 32 ? ~0ull : (1ull << length) - 1) << from);
  }
};
struct NthSet {
  static U32 of(U32 mask, U32 base, std::int32_t offset) {
    if (base > 31) return ~0u;
    if (offset == 0) return mask >> base & 1 ? base : ~0u;
    int left = offset > 0 ? offset : -offset;
    for (int at = static_cast<int>(base); at >= 0 && at<32; at += offset> 0 ? 1 : -1)
      if (mask >> at & 1 && --left == 0) return static_cast<U32>(at);
    return ~0u;
  }
};
enum class Choose { plain, f4e, b4e, rc8, ecl, ecr, rc16 };
template <Choose Mode>
struct Permute {
  static U32 of(U32 a, U32 b, U32 c) {
    const U64 both = U64(b) << 32 | a;
    const auto byte = [&](U32 k) { return static_cast<U32>(both >> (8 * (k & 7)) & 0xff); };
    const U32 s = c & 3;
    U32 r = 0;
    for (U32 k = 0; k < 4; ++k) {
      U32 part = 0;
      if (Mode == Choose::plain) {
        const U32 pick = c >> (4 * k);
        part = byte(pick);
        if (pick & 8) part = part & 0x80 ? 0xff : 0;
      }
      if (Mode == Choose::f4e) part = byte(s + k);
      if (Mode == Choose::b4e) part = byte(s - k);
      if (Mode == Choose::rc8) part = byte(s);
      if (Mode == Choose::ecl) part = byte(std::max(k, s));
      if (Mode == Choose::ecr) part = byte(std::min(k, s));
      if (Mode == Choose::rc16) part = byte((s & 1) * 2 + (k & 1));
      r |= part << (8 * k);
    }
    return r;
  }
};
template <class T, bool Wrap>
struct Extend { // sign- or zero-extends the low n bits
  static T of(T a, U32 n) {
    if (Wrap) n &= 31;
    if (n >= 32) return a;
    if (n == 0) return 0;
    return static_cast<T>(static_cast<T>(static_cast<U32>(a) << (32 - n)) >> (32 - n));
  }
};

// Any function of three bits, given as a table of eight values (lop3).
void any_of_three(Warp& w, const Op& op, Mask mask) {
  auto* to = w.at<U32>(op.d[0]);
  const auto *a = w.at<U32>(op.s[0]), *b = w.at<U32>(op.s[1]), *c = w.at<U32>(op.s[2]);
  const auto table = static_cast<U32>(op.immediate);
  each(mask, [&](int lane) {
    U32 r = 0;
    for (U32 k = 0; k < 8; ++k)
      if (table >> k & 1)
        r |= (k & 4 ? a[lane] : ~a[lane]) & (k & 2 ? b[lane] : ~b[lane]) & (k & 1 ? c[lane] : ~c[lane]);
    to[lane] = r;
  });
}

template <template <class> class F>
void predicates(Warp& w, const Op& op, Mask mask) {
  Mask& to = w.predicate(op.d[0]);
  to = (to & ~mask) | (F<Mask>::of(w.predicate(op.s[0]), w.predicate(op.s[1])) & mask);
}
void not_predicate(Warp& w, const Op& op, Mask mask) {
  Mask& to = w.predicate(op.d[0]);
  to = (to & ~mask) | (~w.predicate(op.s[0]) & mask);
}

template <template <class> class F>
void logic(Body& b) {
  const Type t = b.type();
  if (t != Type::pred) {
    b.emit(integer_map<F, 2>(b, t), t, {t, t});
    return;
  }
  const std::int32_t x = b.predicate(b.operand(1)), y = b.predicate(b.operand(2)),
                     d = b.predicate_target(b.operand(0));
  Op& op = b.emit(&predicates<F>);
  op.d[0] = d;
  op.s[0] = x;
  op.s[1] = y;
}
void invert(Body& b) {
  const Type t = b.type();
  if (t != Type::pred) {
    b.emit(integer_map<Not, 1>(b, t), t, {t});
    return;
  }
  const std::int32_t x = b.predicate(b.operand(1)), d = b.predicate_target(b.operand(0));
  Op& op = b.emit(&not_predicate);
  op.d[0] = d;
  op.s[0] = x;
}

template <template <class> class F>
Op::Run shift_of(const Body& b, Type t) {
  switch (t) {
    case Type::b16:
    case Type::u16: return &map<F<std::uint16_t>, std::uint16_t, std::uint16_t, U32>;
    case Type::s16: return &map<F<std::int16_t>, std::int16_t, std::int16_t, U32>;
    case Type::b32:
    case Type::u32: return &map<F<U32>, U32, U32, U32>;
    case Type::s32: return &map<F<std::int32_t>, std::int32_t, std::int32_t, U32>;
    case Type::b64:
    case Type::u64: return &map<F<U64>, U64, U64, U32>;
    case Type::s64: return &map<F<std::int64_t>, std::int64_t, std::int64_t, U32>;
    default: b.refuse();
  }
}
template <template <class> class F>
void shift(Body& b) {
  b.emit(shift_of<F>(b, b.type()), b.type(), {b.type(), Type::u32});
}
void funnel(Body& b) {
  const bool wrap = b.has("wrap");
  const Op::Run run = b.has("l") ? (wrap ? &map<Funnel<true, true>, U32, U32, U32, U32>
                                         : &map<Funnel<true, false>, U32, U32, U32, U32>)
                                 : (wrap ? &map<Funnel<false, true>, U32, U32, U32, U32>
                                         : &map<Funnel<false, false>, U32, U32, U32, U32>);
  b.emit(run, Type::u32, {Type::u32, Type::u32, Type::u32});
}
template <template <class> class F>
void counted(Body& b) {
  const bool wide = bytes_of(b.type()) == 8;
  b.emit(wide ? &map<F<U64>, U32, U64> : &map<F<U32>, U32, U32>, Type::u32, {b.type()});
}
void bfind(Body& b) {
  const bool shift = b.has("shiftamt");
  Op::Run run = nullptr;
  if (b.type() == Type::u32)
    run = shift ? &map<FindHighest<U32, true>, U32, U32> : &map<FindHighest<U32, false>, U32, U32>;
  if (b.type() == Type::s32)
    run = shift ? &map<FindHighest<std::int32_t, true>, U32, std::int32_t>
                : &map<FindHighest<std::int32_t, false>, U32, std::int32_t>;
  if (b.type() == Type::u64)
    run = shift ? &map<FindHighest<U64, true>, U32, U64> : &map<FindHighest<U64, false>, U32, U64>;
  if (b.type() == Type::s64)
    run = shift ? &map<FindHighest<std::int64_t, true>, U32, std::int64_t>
                : &map<FindHighest<std::int64_t, false>, U32, std::int64_t>;
  if (!run) b.refuse();
  b.emit(run, Type::u32, {b.type()});
}
void bfe(Body& b) {
  const Type t = b.type();
  Op::Run run = nullptr;
  if (t == Type::u32) run = &map<Extract<U32>, U32, U32, U32, U32>;
  if (t == Type::s32) run = &map<Extract<std::int32_t>, std::int32_t, std::int32_t, U32, U32>;
  if (t == Type::u64) run = &map<Extract<U64>, U64, U64, U32, U32>;
  if (t == Type::s64) run = &map<Extract<std::int64_t>, std::int64_t, std::int64_t, U32, U32>;
  if (!run) b.refuse();
  b.emit(run, t, {t, Type::u32, Type::u32});
}
void bfi(Body& b) {
  const Type t = b.type();
  b.emit(bytes_of(t) == 8 ? &map<Insert<U64>, U64, U64, U64, U32, U32>
                          : &map<Insert<U32>, U32, U32, U32, U32, U32>,
         t, {t, t, Type::u32, Type::u32});
}
void bmsk(Body& b) {
  b.emit(b.has("wrap") ? &map<MaskOf<true>, U32, U32, U32> : &map<MaskOf<false>, U32, U32, U32>, Type::u32,
         {Type::u32, Type::u32});
}
void prmt(Body& b) {
  const Op::Run run = b.has("f4e")    ? &map<Permute<Choose::f4e>, U32, U32, U32, U32>
                      : b.has("b4e")  ? &map<Permute<Choose::b4e>, U32, U32, U32, U32>
                      : b.has("rc8")  ? &map<Permute<Choose::rc8>, U32, U32, U32, U32>
                      : b.has("ecl")  ? &map<Permute<Choose::ecl>, U32, U32, U32, U32>
                      : b.has("ecr")  ? &map<Permute<Choose::ecr>, U32, U32, U32, U32>
                      : b.has("rc16") ? &map<Permute<Choose::rc16>, U32, U32, U32, U32>
                                      : &map<Permute<Choose::plain>, U32, U32, U32, U32>;
  b.emit(run, Type::u32, {Type::u32, Type::u32, Type::u32});
}
void szext(Body& b) {
  const bool wrap = b.has("wrap");
  const Op::Run run =
      b.type() == Type::s32
          ? (wrap ? &map<Extend<std::int32_t, true>, std::int32_t, std::int32_t, U32>
                  : &map<Extend<std::int32_t, false>, std::int32_t, std::int32_t, U32>)
          : (wrap ? &map<Extend<U32, true>, U32, U32, U32> : &map<Extend<U32, false>, U32, U32, U32>);
  b.emit(run, b.type(), {b.type(), Type::u32});
}
void lop3(Body& b) {
  if (!b.has("b32") || b.has("and") || b.has("or") || b.count() != 5) b.refuse();
  const auto table = static_cast<std::int64_t>(b.immediate(b.operand(4), Type::b32));
  b.emit(&any_of_three, Type::b32, {Type::b32, Type::b32, Type::b32}).immediate = table;
}

} // namespace

void add_bit_rules(Rules& r) {
  r["and"] = &logic<And>;
  r["or"] = &logic<Or>;
  r["xor"] = &logic<Xor>;
  r["not"] = &invert;
  r["cnot"] = [](Body& b) { b.emit(integer_map<ConditionalNot, 1>(b, b.type()), b.type(), {b.type()}); };
  r["shl"] = &shift<Shl>;
  r["shr"] = &shift<Shr>;
  r["shf"] = &funnel;
  r["popc"] = &counted<Count>;
  r["clz"] = &counted<LeadingZeros>;
  r["bfind"] = &bfind;
  r["brev"] = [](Body& b) {
    b.emit(bytes_of(b.type()) == 8 ? &map<Reverse<U64>, U64, U64> : &map<Reverse<U32>, U32, U32>, b.type(),
           {b.type()});
  };
  r["bfe"] = &bfe;
  r["bfi"] = &bfi;
  r["bmsk"] = &bmsk;
  r["fns"] = [](Body& b) {
    b.emit(&map<NthSet, U32, U32, U32, std::int32_t>, Type::b32, {Type::b32, Type::b32, Type::s32});
  };
  r["prmt"] = &prmt;
  r["szext"] = &szext;
  r["lop3"] = &lop3;
}

} // namespace tasuki::remote::ptx
