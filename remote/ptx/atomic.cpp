// atom and red (PTX ISA, 9.7.13): the lanes one after another, in order; every scope is that of the system.
#include <remote/ptx/half.hpp>
#include <remote/ptx/map.hpp>

namespace tasuki::remote::ptx {
namespace {

template <class T>
struct Add {
  static T of(T old, T b, T) {
    if constexpr (std::is_floating_point_v<T>)
      return old + b;
    else
      return static_cast<T>(std::uint64_t(old) + std::uint64_t(b));
  }
};
template <class T>
struct Min {
  static T of(T old, T b, T) { return b < old ? b : old; }
};
template <class T>
struct Max {
  static T of(T old, T b, T) { return old < b ? b : old; }
};
template <class T>
struct And {
  static T of(T old, T b, T) { return old & b; }
};
template <class T>
struct Or {
  static T of(T old, T b, T) { return old | b; }
};
template <class T>
struct Xor {
  static T of(T old, T b, T) { return old ^ b; }
};
template <class T>
struct Exchange {
  static T of(T, T b, T) { return b; }
};
template <class T>
struct Swap {
  static T of(T old, T b, T c) { return old == b ? c : old; }
};
template <class T>
struct Increase {
  static T of(T old, T b, T) { return old >= b ? 0 : old + 1; }
};
template <class T>
struct Decrease {
  static T of(T old, T b, T) { return old == 0 || old > b ? b : old - 1; }
};
template <class H, bool Pair>
struct AddHalves {
  static std::uint32_t of(std::uint32_t old, std::uint32_t b, std::uint32_t) {
    const auto one =
        [](std::uint32_t x,
           std::uint32_t y) -> std::uint32_t { // exact in a double but where one is lost in the other
      return narrow<H>(wide<H>(static_cast<std::uint16_t>(x)) + wide<H>(static_cast<std::uint16_t>(y)),
                       Rounding::nearest);
    };
    return Pair ? one(old & 0xffff, b & 0xffff) | one(old >> 16, b >> 16) << 16
                : one(old & 0xffff, b & 0xffff);
  }
};

template <class F, class T, bool Shared>
void update(Warp& w, const Op& op, Mask mask) {
  using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                  std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>>;
  std::uint64_t at[kLanes];
  if (Shared)
    w.shared_addresses(op, mask, sizeof(T), at);
  else
    w.addresses(op, mask, sizeof(T), at);
  for (Mask m = mask; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    auto* word = reinterpret_cast<Word*>(at[lane]);
    const T b = get<T>(w.at<Stored<T>>(op.s[1]), lane),
            c = op.s[2] >= 0 ? get<T>(w.at<Stored<T>>(op.s[2]), lane) : T(0);
    Word old = __atomic_load_n(word, __ATOMIC_SEQ_CST), made;
    do made = bits_as<Word>(F::of(bits_as<T>(old), b, c));
    while (!__atomic_compare_exchange_n(word, &old, made, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    if (op.d[0] >= 0) put<T>(w.at<Stored<T>>(op.d[0]), lane, bits_as<T>(old));
  }
}

struct Runs {
  Op::Run flat = nullptr, shared = nullptr;
};
template <class F, class T>
Runs of() {
  return {&update<F, T, false>, &update<F, T, true>};
}

template <template <class> class F>
Runs words(Type t) { // unsigned
  if (bytes_of(t) == 4) return of<F<std::uint32_t>, std::uint32_t>();
  if (bytes_of(t) == 8) return of<F<std::uint64_t>, std::uint64_t>();
  return {};
}
template <template <class> class F>
Runs ordered(Type t) {
  if (t == Type::s32) return of<F<std::int32_t>, std::int32_t>();
  if (t == Type::s64) return of<F<std::int64_t>, std::int64_t>();
  return words<F>(t);
}

Runs runs(const Body& b, Type t) {
  if (b.has("add")) {
    if (t == Type::f32) return of<Add<float>, float>();
    if (t == Type::f64) return of<Add<double>, double>();
    if (t == Type::f16x2) return of<AddHalves<Half, true>, std::uint32_t>();
    if (t == Type::bf16x2) return of<AddHalves<Brain, true>, std::uint32_t>();
    if (is_real(t)) return {};
    return words<Add>(t);
  }
  if (is_real(t)) return {};
  if (b.has("min")) return ordered<Min>(t);
  if (b.has("max")) return ordered<Max>(t);
  if (b.has("and")) return words<And>(t);
  if (b.has("or")) return words<Or>(t);
  if (b.has("xor")) return words<Xor>(t);
  if (b.has("exch")) return words<Exchange>(t);
  if (b.has("cas")) return t == Type::b16 ? of<Swap<std::uint16_t>, std::uint16_t>() : words<Swap>(t);
  if (b.has("inc")) return words<Increase>(t);
  if (b.has("dec")) return words<Decrease>(t);
  return {};
}

template <bool Result>
void rule(Body& b) {
  if (b.has("shared::cluster") || b.has("v2") || b.has("v4") || b.has("v8") || b.has("async")) b.refuse();
  const Type t = b.type();
  const Runs run = runs(b, t);
  if (!run.flat) b.refuse();
  const std::size_t first = Result ? 1 : 0;
  const std::int32_t x = b.source(b.operand(first + 1), t);
  const std::int32_t y = b.has("cas") ? b.source(b.operand(first + 2), t) : -1;
  const std::int32_t to = Result && b.operand(0).kind != Operand::Kind::none ? b.target(b.operand(0), t) : -1;
  const Body::Where at = b.where(b.operand(first));
  const bool shared = b.has("shared") || b.has("shared::cta") || at.space == Space::shared;
  if (at.space == Space::local || at.space == Space::param) b.refuse();
  Op& op = b.emit(shared ? run.shared : run.flat);
  op.d[0] = to;
  op.s[0] = at.place;
  op.s[1] = x;
  op.s[2] = y;
  op.wide_address = at.wide;
  op.immediate = at.offset;
}

} // namespace

void add_atomic_rules(Rules& r) {
  r["atom"] = &rule<true>;
  r["red"] = &rule<false>;
}

} // namespace tasuki::remote::ptx
