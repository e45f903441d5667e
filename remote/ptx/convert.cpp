// cvt and mov: conversion between types (PTX ISA, 9.7.9.22), packing and unpacking of vectors.
#include <remote/ptx/half.hpp>
#include <remote/ptx/map.hpp>

#include <ctime>
#include <limits>

namespace tasuki::remote::ptx {
namespace {

constexpr std::uint8_t kFlush = 1, kSaturate = 2, kWhole = 16, kRelu = 32,
                       kOfHalf = 64; // Op::flags; the rounding is << 2

Rounding rounding(const Op& op) { return static_cast<Rounding>(op.flags >> 2 & 3); }

template <class R, class A>
struct Cast {
  static R of(A a) { return static_cast<R>(a); }
};
template <class R, class A>
struct Clamped {
  static R of(A a) {
    using L = std::numeric_limits<R>;
    if constexpr (std::is_signed_v<A>) {
      if (a < 0 && std::is_unsigned_v<R>) return 0;
      if (static_cast<std::int64_t>(a) < static_cast<std::int64_t>(L::min()) && std::is_signed_v<R>)
        return L::min();
      if (a > 0 && static_cast<std::uint64_t>(a) > static_cast<std::uint64_t>(L::max())) return L::max();
    } else if (static_cast<std::uint64_t>(a) > static_cast<std::uint64_t>(L::max())) {
      return L::max();
    }
    return static_cast<R>(a);
  }
};

template <class T>
T rounded_to_whole(T value, Rounding mode) {
  switch (mode) {
    case Rounding::zero: return std::trunc(value);
    case Rounding::down: return std::floor(value);
    case Rounding::up: return std::ceil(value);
    default: return std::nearbyint(value);
  }
}

// A real to an integer, clamped to its range. NaN becomes the highest bit, but 0 from f32 and halves to <= 32 bits.
template <class R, class A>
void whole(Warp& w, const Op& op, Mask mask) {
  auto* to = w.at<Stored<R>>(op.d[0]);
  const auto* from = w.at<Stored<A>>(op.s[0]);
  for (Mask m = mask; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    A a = get<A>(from, lane);
    if (op.flags & kFlush) a = flushed(a);
    a = rounded_to_whole(a, rounding(op));
    using L = std::numeric_limits<R>;
    R result;
    constexpr bool wide = sizeof(A) == 8 || sizeof(R) == 8;
    if (a != a)
      result = wide && !(op.flags & kOfHalf) ? static_cast<R>(1ull << (8 * sizeof(R) - 1)) : R(0);
    else if (a < static_cast<A>(L::min()))
      result = L::min();
    else if (a >= std::ldexp(A(1), L::digits))
      result = L::max();
    else
      result = static_cast<R>(a);
    put<R>(to, lane, result);
  }
}
template <class R, class A>
void real_of(Warp& w, const Op& op, Mask mask) { // of an integer
  auto* to = w.at<Stored<R>>(op.d[0]);
  const auto* from = w.at<Stored<A>>(op.s[0]);
  const Rounded mode(rounding(op));
  each(mask, [&](int lane) {
    const R value = static_cast<R>(get<A>(from, lane));
    put<R>(to, lane, op.flags & kSaturate ? saturated(value) : value);
  });
}
template <class R, class A>
void real(Warp& w, const Op& op, Mask mask) {
  auto* to = w.at<Stored<R>>(op.d[0]);
  const auto* from = w.at<Stored<A>>(op.s[0]);
  const bool flush = op.flags & kFlush;
  const Rounded mode(op.flags & kWhole ? Rounding::nearest : rounding(op));
  for (Mask m = mask; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    A a = get<A>(from, lane);
    if (flush) a = flushed(a);
    if (op.flags & kWhole) a = rounded_to_whole(a, rounding(op));
    R value = static_cast<R>(a);
    if constexpr (sizeof(A) == 4) value = one_nan(value); // f64 keeps the upper bits of the payload
    if (flush) value = flushed(value);
    if (op.flags & kSaturate) value = saturated(value);
    put<R>(to, lane, value);
  }
}
template <class H, class A>
void half_of(Warp& w, const Op& op, Mask mask) {
  auto* to = w.at<std::uint32_t>(op.d[0]);
  const auto* from = w.at<Stored<A>>(op.s[0]);
  each(mask, [&](int lane) {
    double value = static_cast<double>(
        get<A>(from, lane)); // inexact only for integers of 64 bits, far above the precision of a half
    if (op.flags & kSaturate) value = saturated(value);
    if (op.flags & kRelu && value < 0) value = 0;
    to[lane] = sizeof(A) == 8 && value != value ? upper_bits<H>(value) : narrow<H>(value, rounding(op));
  });
}
template <class H, class R>
void of_half(Warp& w, const Op& op, Mask mask) { // to a real, or to a double for a further conversion
  auto* to = w.at<Stored<R>>(op.d[0]);
  const auto* from = w.at<std::uint32_t>(op.s[0]);
  each(mask, [&](int lane) {
    R value = static_cast<R>(wide<H>(static_cast<std::uint16_t>(from[lane])));
    if (value != value) value = one_nan(quiet(value)); // f64 keeps the payload
    if (op.flags & kSaturate) value = saturated(value);
    put<R>(to, lane, value);
  });
}
template <class H>
void two_halves(Warp& w, const Op& op, Mask mask) { // the first into the upper half
  auto* to = w.at<std::uint32_t>(op.d[0]);
  const auto *high = w.at<std::uint32_t>(op.s[0]), *low = w.at<std::uint32_t>(op.s[1]);
  const auto one = [&](std::uint32_t bits) -> std::uint32_t {
    double value = bits_as<float>(bits);
    if (op.flags & kRelu && value < 0) value = 0;
    return narrow<H>(value, rounding(op));
  };
  each(mask, [&](int lane) { to[lane] = one(high[lane]) << 16 | one(low[lane]); });
}

// Types by their index in a table: s8 s16 s32 s64 u8 u16 u32 u64.
template <template <class, class> class F, class R>
Op::Run from_integer(Type a) {
  switch (a) {
    case Type::s8: return &map<F<R, std::int8_t>, R, std::int8_t>;
    case Type::s16: return &map<F<R, std::int16_t>, R, std::int16_t>;
    case Type::s32: return &map<F<R, std::int32_t>, R, std::int32_t>;
    case Type::s64: return &map<F<R, std::int64_t>, R, std::int64_t>;
    case Type::u8: return &map<F<R, std::uint8_t>, R, std::uint8_t>;
    case Type::u16: return &map<F<R, std::uint16_t>, R, std::uint16_t>;
    case Type::u32: return &map<F<R, std::uint32_t>, R, std::uint32_t>;
    default: return &map<F<R, std::uint64_t>, R, std::uint64_t>;
  }
}
template <template <class, class> class F>
Op::Run integers(Type r, Type a) {
  switch (r) {
    case Type::s8: return from_integer<F, std::int8_t>(a);
    case Type::s16: return from_integer<F, std::int16_t>(a);
    case Type::s32: return from_integer<F, std::int32_t>(a);
    case Type::s64: return from_integer<F, std::int64_t>(a);
    case Type::u8: return from_integer<F, std::uint8_t>(a);
    case Type::u16: return from_integer<F, std::uint16_t>(a);
    case Type::u32: return from_integer<F, std::uint32_t>(a);
    default: return from_integer<F, std::uint64_t>(a);
  }
}
template <class A>
Op::Run whole_of(Type r) {
  switch (r) {
    case Type::s8: return &whole<std::int8_t, A>;
    case Type::s16: return &whole<std::int16_t, A>;
    case Type::s32: return &whole<std::int32_t, A>;
    case Type::s64: return &whole<std::int64_t, A>;
    case Type::u8: return &whole<std::uint8_t, A>;
    case Type::u16: return &whole<std::uint16_t, A>;
    case Type::u32: return &whole<std::uint32_t, A>;
    default: return &whole<std::uint64_t, A>;
  }
}
template <class R>
Op::Run real_from(Type a) {
  switch (a) {
    case Type::s8: return &real_of<R, std::int8_t>;
    case Type::s16: return &real_of<R, std::int16_t>;
    case Type::s32: return &real_of<R, std::int32_t>;
    case Type::s64: return &real_of<R, std::int64_t>;
    case Type::u8: return &real_of<R, std::uint8_t>;
    case Type::u16: return &real_of<R, std::uint16_t>;
    case Type::u32: return &real_of<R, std::uint32_t>;
    default: return &real_of<R, std::uint64_t>;
  }
}
template <class H>
Op::Run half_from(Type a) {
  switch (a) {
    case Type::s8: return &half_of<H, std::int8_t>;
    case Type::s16: return &half_of<H, std::int16_t>;
    case Type::s32: return &half_of<H, std::int32_t>;
    case Type::s64: return &half_of<H, std::int64_t>;
    case Type::u8: return &half_of<H, std::uint8_t>;
    case Type::u16: return &half_of<H, std::uint16_t>;
    case Type::u32: return &half_of<H, std::uint32_t>;
    case Type::u64: return &half_of<H, std::uint64_t>;
    case Type::f32: return &half_of<H, float>;
    default: return &half_of<H, double>;
  }
}

void convert(Body& b) {
  if (b.instruction().modifiers.empty()) b.refuse();
  const Type a = b.type(), r = b.type(1);
  if (a == Type::none || r == Type::none || b.has("pack")) b.refuse(); // tf32, fp8, ..
  const bool whole_numbers = b.has("rni") || b.has("rzi") || b.has("rmi") || b.has("rpi");
  const Rounding mode = b.has("rz") || b.has("rzi")   ? Rounding::zero
                        : b.has("rm") || b.has("rmi") ? Rounding::down
                        : b.has("rp") || b.has("rpi") ? Rounding::up
                                                      : Rounding::nearest;
  const auto flags = static_cast<std::uint8_t>((b.has("ftz") ? kFlush : 0) | (b.has("sat") ? kSaturate : 0) |
                                               static_cast<int>(mode) << 2 | (whole_numbers ? kWhole : 0) |
                                               (b.has("relu") ? kRelu : 0));
  const bool a_half = a == Type::f16 || a == Type::bf16, r_half = r == Type::f16 || r == Type::bf16;
  if (r == Type::f16x2 || r == Type::bf16x2) {
    if (a != Type::f32 || b.has("rs") || b.has("satfinite")) b.refuse();
    b.emit(r == Type::f16x2 ? &two_halves<Half> : &two_halves<Brain>, Type::b32, {Type::f32, Type::f32})
        .flags = flags;
    return;
  }
  if (a == Type::f16x2 || a == Type::bf16x2 || b.has("satfinite") || b.has("rna")) b.refuse();
  Op::Run run = nullptr;
  if (a_half) { // through a double, which represents both exactly
    const bool plain = !is_real(r) || r_half;
    if (!plain) {
      run = a == Type::f16 ? (r == Type::f32 ? &of_half<Half, float> : &of_half<Half, double>)
                           : (r == Type::f32 ? &of_half<Brain, float> : &of_half<Brain, double>);
      b.emit(run, r, {a}).flags = flags;
      return;
    }
    const std::int32_t from = b.source(b.operand(1), a), way = b.place(256);
    Op& first = b.emit(a == Type::f16 ? &of_half<Half, double> : &of_half<Brain, double>);
    first.d[0] = way;
    first.s[0] = from;
    const std::int32_t to = b.target(b.operand(0), r);
    std::int32_t middle = way;
    if (r_half && whole_numbers) {
      middle = b.place(256);
      Op& second = b.emit(&real<double, double>);
      second.d[0] = middle;
      second.s[0] = way;
      second.flags = flags & ~kSaturate;
    }
    Op& last = b.emit(!r_half          ? whole_of<double>(r)
                      : r == Type::f16 ? &half_of<Half, double>
                                       : &half_of<Brain, double>);
    last.d[0] = to;
    last.s[0] = middle;
    last.flags = static_cast<std::uint8_t>(flags | (bytes_of(r) < 8 ? kOfHalf : 0));
    return;
  }
  const bool a_real = is_real(a), r_real = is_real(r);
  if (r_half)
    run = r == Type::f16 ? half_from<Half>(a) : half_from<Brain>(a);
  else if (a_real && r_real)
    run = r == Type::f32 ? (a == Type::f32 ? &real<float, float> : &real<float, double>)
                         : (a == Type::f32 ? &real<double, float> : &real<double, double>);
  else if (a_real)
    run = a == Type::f32 ? whole_of<float>(r) : whole_of<double>(r);
  else if (r_real)
    run = r == Type::f32 ? real_from<float>(a) : real_from<double>(a);
  else
    run = b.has("sat") ? integers<Clamped>(r, a) : integers<Cast>(r, a);
  b.emit(run, r, {a}).flags = flags;
}

template <class S>
void copy(Warp& w, const Op& op, Mask mask) {
  auto* to = w.at<S>(op.d[0]);
  const auto* from = w.at<S>(op.s[0]);
  each(mask, [&](int lane) { to[lane] = from[lane]; });
}
void copy_predicate(Warp& w, const Op& op, Mask mask) {
  Mask& to = w.predicate(op.d[0]);
  to = (to & ~mask) | (w.predicate(op.s[0]) & mask);
}

// {a, b} of n bits each, consecutive from the lowest bit.
void pack(Warp& w, const Op& op, Mask mask) {
  const int bits = static_cast<int>(op.immediate);
  const std::uint64_t part = bits == 32 ? 0xffffffffu : (1ull << bits) - 1;
  for (Mask m = mask; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    std::uint64_t value = 0;
    for (int k = 0; k < op.lanes; ++k) value |= (w.at<std::uint32_t>(op.s[k])[lane] & part) << (bits * k);
    if (op.flags)
      w.at<std::uint64_t>(op.d[0])[lane] = value;
    else
      w.at<std::uint32_t>(op.d[0])[lane] = static_cast<std::uint32_t>(value);
  }
}
void unpack(Warp& w, const Op& op, Mask mask) {
  const int bits = static_cast<int>(op.immediate);
  const std::uint64_t part = bits == 32 ? 0xffffffffu : (1ull << bits) - 1;
  for (Mask m = mask; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    const std::uint64_t value =
        op.flags ? w.at<std::uint64_t>(op.s[0])[lane] : w.at<std::uint32_t>(op.s[0])[lane];
    for (int k = 0; k < op.lanes; ++k)
      if (op.d[k] >= 0)
        w.at<std::uint32_t>(op.d[k])[lane] = static_cast<std::uint32_t>(value >> (bits * k) & part);
  }
}

Type part_type(unsigned bits) { return bits == 8 ? Type::b8 : bits == 16 ? Type::b16 : Type::b32; }

template <bool Packing>
void vectors(Body& b, const Operand& vector, const Operand& whole) {
  const unsigned bits = 8 * bytes_of(b.type());
  const auto n = static_cast<unsigned>(vector.parts.size());
  if (n < 2 || n > 4 || bits > 64 || bits / n > 32) b.refuse();
  const Type part = part_type(bits / n);
  std::int32_t parts[4] = {-1, -1, -1, -1};
  for (unsigned k = 0; k < n; ++k)
    if (Packing)
      parts[k] = b.source(vector.parts[k], part);
    else if (vector.parts[k].kind != Operand::Kind::none)
      parts[k] = b.target(vector.parts[k], part);
  const std::int32_t other = Packing ? b.target(whole, b.type()) : b.source(whole, b.type());
  Op& op = b.emit(Packing ? &pack : &unpack);
  std::copy(parts, parts + 4, Packing ? op.s : op.d);
  (Packing ? op.d : op.s)[0] = other;
  op.lanes = static_cast<std::uint8_t>(n);
  op.immediate = bits / n;
  op.flags = bits == 64;
}

void clock(Warp& w, const Op& op, Mask mask);

void move(Body& b) {
  const Type t = b.type();
  const Operand &to = b.operand(0), &from = b.operand(1);
  if (from.kind == Operand::Kind::vector) return vectors<true>(b, from, to);
  if (to.kind == Operand::Kind::vector) return vectors<false>(b, to, from);
  if (t == Type::pred) {
    const std::int32_t p = b.predicate(from), d = b.predicate_target(to);
    Op& op = b.emit(&copy_predicate);
    op.d[0] = d;
    op.s[0] = p;
    return;
  }
  if (bytes_of(t) == 16) b.refuse();
  if (from.kind == Operand::Kind::special &&
      (from.name.substr(0, 6) == "%clock" || from.name.substr(0, 12) == "%globaltimer")) {
    const std::int32_t d = b.target(to, t);
    Op& op = b.emit(&clock);
    op.d[0] = d;
    op.flags = bytes_of(t) == 8;
    op.immediate = from.name.substr(from.name.size() - 3) == "_hi" ? 32 : 0;
    return;
  }
  b.emit(bytes_of(t) == 8 ? &copy<std::uint64_t> : &copy<std::uint32_t>, t, {t});
}

void clock(Warp& w, const Op& op, Mask mask) { // nanoseconds
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const std::uint64_t t = std::uint64_t(now.tv_sec) * 1000000000u + std::uint64_t(now.tv_nsec);
  each(mask, [&](int lane) {
    if (op.flags)
      w.at<std::uint64_t>(op.d[0])[lane] = t;
    else
      w.at<std::uint32_t>(op.d[0])[lane] = static_cast<std::uint32_t>(t >> op.immediate);
  });
}

} // namespace

void add_convert_rules(Rules& r) {
  r["cvt"] = &convert;
  r["cvt/h"] = r["cvt/f"] = &convert;
  r["mov"] = &move;
}

} // namespace tasuki::remote::ptx
