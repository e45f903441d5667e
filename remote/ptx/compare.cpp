// setp set selp slct (PTX ISA, 9.7.6).
#include <remote/ptx/half.hpp>
#include <remote/ptx/map.hpp>

#include <array>

namespace tasuki::remote::ptx {
namespace {

enum class Compare : std::uint8_t { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };
constexpr std::array<std::string_view, 14> kNames = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                                     "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

template <Compare C, class T>
bool holds(T a, T b) {
  switch (C) {
    case Compare::eq: return a == b;
    case Compare::ne: return a < b || a > b;
    case Compare::lt: return a < b;
    case Compare::le: return a <= b;
    case Compare::gt: return a > b;
    case Compare::ge: return a >= b;
    case Compare::equ: return !(a < b || a > b);
    case Compare::neu: return !(a == b);
    case Compare::ltu: return !(a >= b);
    case Compare::leu: return !(a > b);
    case Compare::gtu: return !(a <= b);
    case Compare::geu: return !(a < b);
    case Compare::num: return a == a && b == b;
    case Compare::nan: return a != a || b != b;
  }
  return false;
}

constexpr std::uint8_t kFlush = 1; // Op::flags; above: how a result and a predicate are combined
enum class Join : std::uint8_t { alone, with_and, with_or, with_xor };

Mask joined(Warp& w, const Op& op, Mask found, std::int32_t other) {
  switch (static_cast<Join>(op.flags >> 1)) {
    case Join::with_and: return found & w.predicate(other);
    case Join::with_or: return found | w.predicate(other);
    case Join::with_xor: return found ^ w.predicate(other);
    default: return found;
  }
}

template <Compare C, class T>
Mask compare(Warp& w, const Op& op, Mask mask) {
  const auto *a = w.at<Stored<T>>(op.s[0]), *b = w.at<Stored<T>>(op.s[1]);
  Mask found = 0;
  for (Mask m = mask; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    T x = get<T>(a, lane), y = get<T>(b, lane);
    if constexpr (std::is_same_v<T, float>)
      if (op.flags & kFlush) x = flushed(x), y = flushed(y);
    if (holds<C>(x, y)) found |= Mask(1) << lane;
  }
  return found;
}

template <Compare C, class T>
void set_predicate(Warp& w, const Op& op, Mask mask) {
  const Mask found = compare<C, T>(w, op, mask);
  const Mask yes = joined(w, op, found, op.s[2]),
             no = joined(w, op, ~found, op.s[2]); // before p, since c may be the same register
  Mask& p = w.predicate(op.d[0]);
  p = (p & ~mask) | (yes & mask);
  if (op.d[1] < 0) return;
  Mask& q = w.predicate(op.d[1]);
  q = (q & ~mask) | (no & mask);
}
template <Compare C, class T>
void set_value(Warp& w, const Op& op, Mask mask) { // immediate: the value for true
  const Mask yes = joined(w, op, compare<C, T>(w, op, mask), op.s[2]);
  auto* to = w.at<std::uint32_t>(op.d[0]);
  each(mask, [&](int lane) { to[lane] = yes >> lane & 1 ? static_cast<std::uint32_t>(op.immediate) : 0; });
}

template <class T, std::size_t... C>
Op::Run pick(Compare c, bool value, std::index_sequence<C...>) {
  static constexpr Op::Run predicates[] = {&set_predicate<static_cast<Compare>(C), T>...};
  static constexpr Op::Run values[] = {&set_value<static_cast<Compare>(C), T>...};
  return (value ? values : predicates)[static_cast<std::size_t>(c)];
}

Op::Run comparison(const Body& b, Type t, Compare c, bool value) {
  using All = std::make_index_sequence<14>;
  using Whole = std::make_index_sequence<6>;
  if (t != Type::f32 && t != Type::f64 && c > Compare::ge) b.refuse();
  switch (t) {
    case Type::b16:
    case Type::u16: return pick<std::uint16_t>(c, value, Whole());
    case Type::s16: return pick<std::int16_t>(c, value, Whole());
    case Type::b32:
    case Type::u32: return pick<std::uint32_t>(c, value, Whole());
    case Type::s32: return pick<std::int32_t>(c, value, Whole());
    case Type::b64:
    case Type::u64: return pick<std::uint64_t>(c, value, Whole());
    case Type::s64: return pick<std::int64_t>(c, value, Whole());
    case Type::f32: return pick<float>(c, value, All());
    case Type::f64: return pick<double>(c, value, All());
    default: b.refuse();
  }
}

Compare word(const Body& b) {
  for (std::size_t k = 0; k < kNames.size(); ++k)
    if (b.has(kNames[k])) return static_cast<Compare>(k);
  if (b.has("lo")) return Compare::lt;
  if (b.has("ls")) return Compare::le;
  if (b.has("hi")) return Compare::gt;
  if (b.has("hs")) return Compare::ge;
  b.refuse();
}
std::uint8_t flags(const Body& b) {
  const Join join = b.has("and")   ? Join::with_and
                    : b.has("or")  ? Join::with_or
                    : b.has("xor") ? Join::with_xor
                                   : Join::alone;
  return static_cast<std::uint8_t>((b.has("ftz") ? kFlush : 0) | static_cast<int>(join) << 1);
}

// Halves are compared as doubles, which is exact.
template <class H>
void to_double(Warp& w, const Op& op, Mask mask) {
  auto* to = w.at<std::uint64_t>(op.d[0]);
  const auto* from = w.at<std::uint32_t>(op.s[0]);
  each(mask, [&](int lane) { put<double>(to, lane, wide<H>(static_cast<std::uint16_t>(from[lane]))); });
}
std::int32_t compared(Body& b, const Operand& operand, Type t) {
  const std::int32_t at = b.source(operand, t);
  if (t != Type::f16 && t != Type::bf16) return at;
  const std::int32_t to = b.place(256);
  Op& op = b.emit(t == Type::f16 ? &to_double<Half> : &to_double<Brain>);
  op.d[0] = to;
  op.s[0] = at;
  return to;
}

void setp(Body& b) {
  Type t = b.type();
  const std::int32_t x = compared(b, b.operand(1), t), y = compared(b, b.operand(2), t);
  if (t == Type::f16 || t == Type::bf16) t = Type::f64;
  const std::uint8_t how = flags(b);
  const std::int32_t c = how >> 1 ? b.predicate(b.operand(3)) : -1;
  const Operand& to = b.operand(0);
  const bool pair = to.kind == Operand::Kind::pair;
  const std::int32_t p = b.predicate_target(pair ? to.parts[0] : to),
                     q = pair ? b.predicate_target(to.parts[1]) : -1;
  Op& op = b.emit(comparison(b, t, word(b), false));
  op.d[0] = p;
  op.d[1] = q;
  op.s[0] = x;
  op.s[1] = y;
  op.s[2] = c;
  op.flags = how;
}
void set(Body& b) {
  Type t = b.type();
  const Type made = b.type(1);
  const std::int32_t x = compared(b, b.operand(1), t), y = compared(b, b.operand(2), t);
  if (t == Type::f16 || t == Type::bf16) t = Type::f64;
  const std::uint8_t how = flags(b);
  const std::int32_t c = how >> 1 ? b.predicate(b.operand(3)) : -1;
  if (made != Type::u32 && made != Type::s32 && made != Type::f32 && made != Type::f16 && made != Type::bf16)
    b.refuse();
  const std::int32_t to = b.target(b.operand(0), made);
  Op& op = b.emit(comparison(b, t, word(b), true));
  op.d[0] = to;
  op.s[0] = x;
  op.s[1] = y;
  op.s[2] = c;
  op.flags = how;
  op.immediate = made == Type::f32    ? 0x3f800000
                 : made == Type::f16  ? 0x3c00
                 : made == Type::bf16 ? 0x3f80
                                      : 0xffffffff; // 1
}

template <class S>
void select(Warp& w, const Op& op, Mask mask) {
  auto* to = w.at<S>(op.d[0]);
  const auto *a = w.at<S>(op.s[0]), *b = w.at<S>(op.s[1]);
  const Mask p = w.predicate(op.s[2]);
  each(mask, [&](int lane) { to[lane] = p >> lane & 1 ? a[lane] : b[lane]; });
}
void selp(Body& b) {
  const Type t = b.type();
  const std::int32_t x = b.source(b.operand(1), t), y = b.source(b.operand(2), t),
                     p = b.predicate(b.operand(3));
  const std::int32_t to = b.target(b.operand(0), t);
  Op& op = b.emit(bytes_of(t) == 8 ? &select<std::uint64_t> : &select<std::uint32_t>);
  op.d[0] = to;
  op.s[0] = x;
  op.s[1] = y;
  op.s[2] = p;
}

template <class S, class C>
struct ByThird {
  static S of(S a, S b, C c) { return c >= 0 ? a : b; }
};
void slct(Body& b) {
  const Type t = b.type(1), c = b.type();
  const bool wide = bytes_of(t) == 8;
  using U = std::uint32_t;
  using W = std::uint64_t;
  if (bytes_of(t) < 4) b.refuse();
  const Op::Run run =
      c == Type::f32
          ? (wide ? &map<ByThird<W, float>, W, W, W, float> : &map<ByThird<U, float>, U, U, U, float>)
          : (wide ? &map<ByThird<W, std::int32_t>, W, W, W, std::int32_t>
                  : &map<ByThird<U, std::int32_t>, U, U, U, std::int32_t>);
  b.emit(run, t, {t, t, c});
}

} // namespace

void add_compare_rules(Rules& r) {
  r["setp"] = &setp;
  r["set"] = &set;
  r["selp"] = &selp;
  r["slct"] = &slct;
}

} // namespace tasuki::remote::ptx
