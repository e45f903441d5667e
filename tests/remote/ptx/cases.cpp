#include "cases.hpp"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>

namespace tasuki::remote::ptx::test {
namespace {

using U = std::uint64_t;

template <class T>
T as(U bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T>
U bits(T value) {
  U made = 0;
  std::memcpy(&made, &value, sizeof value);
  return made;
}

// The same arithmetic in a wider, slower way: integers by 128 bits, reals behind volatile.
using Wide = __int128;

struct Table {
  std::vector<Case> all;

  template <class R, class... A, class F>
  void add(const std::string& op, std::vector<std::string> from, F f) {
    all.push_back({op, std::is_same_v<R, bool> ? "pred" : std::to_string(8 * sizeof(R)), std::move(from),
                   [f](U a, U b, U c) {
                     const U in[] = {a, b, c};
                     return call<R, A...>(f, in, std::index_sequence_for<A...>());
                   }});
  }
  void approx(const std::string& op, const std::string& type, std::size_t n) {
    all.push_back({op, type.substr(1), std::vector<std::string>(n, type), {}});
  }
  template <class R, class... A, class F, std::size_t... K>
  static U call(F f, const U* in, std::index_sequence<K...>) {
    return bits<R>(static_cast<R>(f(as<A>(in[K])...)));
  }
};

template <class F>
auto rounded(int mode, F f) {
  const int old = std::fegetround();
  std::fesetround(mode);
  volatile auto value = f();
  std::fesetround(old);
  return value;
}

template <class T>
Wide clamp(Wide v) {
  return std::min<Wide>(std::max<Wide>(v, std::numeric_limits<T>::min()), std::numeric_limits<T>::max());
}

template <class T>
void integers(Table& t, const std::string& type) {
  constexpr int n = 8 * sizeof(T);
  const auto name = [&](const char* op) { return op + ("." + type); };
  using V = std::make_unsigned_t<T>;
  t.add<T, T, T>(name("add"), {type, type}, [](T a, T b) { return static_cast<T>(Wide(a) + b); });
  t.add<T, T, T>(name("sub"), {type, type}, [](T a, T b) { return static_cast<T>(Wide(a) - b); });
  t.add<T, T, T>(name("mul.lo"), {type, type}, [](T a, T b) {
    return static_cast<T>(static_cast<unsigned __int128>(Wide(a)) * static_cast<unsigned __int128>(Wide(b)));
  });
  t.add<T, T, T>(name("mul.hi"), {type, type}, [](T a, T b) {
    if (std::is_signed_v<T>) return static_cast<T>((Wide(a) * Wide(b)) >> n);
    return static_cast<T>((static_cast<unsigned __int128>(V(a)) * V(b)) >> n);
  });
  t.add<T, T, T, T>(name("mad.lo"), {type, type, type}, [](T a, T b, T c) {
    return static_cast<T>(static_cast<unsigned __int128>(Wide(a)) * static_cast<unsigned __int128>(Wide(b)) +
                          static_cast<unsigned __int128>(Wide(c)));
  });
  t.add<T, T, T>(name("min"), {type, type}, [](T a, T b) { return std::min(a, b); });
  t.add<T, T, T>(name("max"), {type, type}, [](T a, T b) { return std::max(a, b); });
  t.add<T, T, T, T>(name("sad"), {type, type, type}, [](T a, T b, T c) {
    return static_cast<T>(Wide(c) + (a > b ? Wide(a) - b : Wide(b) - a));
  });
  // Division by zero is not defined; what it divides by is made odd.
  const std::string u = "u" + std::to_string(n), s = "s" + std::to_string(n);
  t.add<T, T, T>(name("DIV"), {type, type},
                 [](T a, T b) { return static_cast<T>(Wide(a) / Wide(static_cast<T>(b | 1))); });
  t.add<T, T, T>(name("REM"), {type, type},
                 [](T a, T b) { return static_cast<T>(Wide(a) % Wide(static_cast<T>(b | 1))); });
  if (std::is_signed_v<T>) {
    t.add<T, T>(name("abs"), {type}, [](T a) { return static_cast<T>(a < 0 ? -Wide(a) : Wide(a)); });
    t.add<T, T>(name("neg"), {type}, [](T a) { return static_cast<T>(-Wide(a)); });
  }
  t.add<T, T, std::uint32_t>(name("shr"), {type, "u32"}, [](T a, std::uint32_t k) {
    return static_cast<T>(Wide(a) >> std::min(k, 100u));
  });
  for (const auto& [word, f] :
       std::vector<std::pair<std::string, bool (*)(T, T)>>{{"eq", [](T a, T b) { return a == b; }},
                                                           {"ne", [](T a, T b) { return a != b; }},
                                                           {"lt", [](T a, T b) { return a < b; }},
                                                           {"le", [](T a, T b) { return a <= b; }},
                                                           {"gt", [](T a, T b) { return a > b; }},
                                                           {"ge", [](T a, T b) { return a >= b; }}})
    t.add<bool, T, T>("setp." + word + "." + type, {type, type}, f);
  if constexpr (n < 64) {
    using W =
        std::conditional_t<n == 16, std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>,
                           std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
    t.add<W, T, T>(name("mul.wide"), {type, type}, [](T a, T b) { return static_cast<W>(Wide(a) * b); });
    t.add<W, T, T, W>(name("mad.wide"),
                      {type, type, (std::is_signed_v<T> ? "s" : "u") + std::to_string(2 * n)},
                      [](T a, T b, W c) { return static_cast<W>(Wide(a) * b + c); });
  }
  if constexpr (n >= 32) {
    t.add<T, T, std::uint32_t, std::uint32_t>(
        name("bfe"), {type, "u32", "u32"}, [](T a, std::uint32_t from, std::uint32_t length) {
          from &= 255, length &= 255;
          T r = 0;
          for (int k = 0; k < n; ++k) {
            const unsigned at = k < int(length) ? from + static_cast<unsigned>(k) : from + length - 1;
            const bool sign = std::is_signed_v<T> && length > 0;
            const bool bit = k < int(length) && at < n
                                 ? V(a) >> at & 1
                                 : sign && (V(a) >> std::min<unsigned>(from + length - 1, n - 1) & 1);
            r = static_cast<T>(r | static_cast<T>(V(bit) << k));
          }
          return r;
        });
    t.add<std::uint32_t, T>(name("bfind"), {type}, [](T a) {
      for (int k = n - 1; k >= 0; --k)
        if ((V(a) >> k & 1) != V(std::is_signed_v<T> && a < 0)) return static_cast<std::uint32_t>(k);
      return ~0u;
    });
  }
}

template <class T>
void words(Table& t) {
  constexpr int n = 8 * sizeof(T);
  const std::string type = "b" + std::to_string(n);
  const auto name = [&](const char* op) { return op + ("." + type); };
  t.add<T, T, T>(name("and"), {type, type}, [](T a, T b) { return a & b; });
  t.add<T, T, T>(name("or"), {type, type}, [](T a, T b) { return a | b; });
  t.add<T, T, T>(name("xor"), {type, type}, [](T a, T b) { return a ^ b; });
  t.add<T, T>(name("not"), {type}, [](T a) { return ~a; });
  t.add<T, T>(name("cnot"), {type}, [](T a) { return a == 0; });
  t.add<T, T, std::uint32_t>(name("shl"), {type, "u32"},
                             [](T a, std::uint32_t k) { return k >= n ? 0 : static_cast<T>(U(a) << k); });
  if constexpr (n >= 32) {
    const auto count = [](T a) {
      std::uint32_t c = 0;
      for (int k = 0; k < n; ++k) c += a >> k & 1;
      return c;
    };
    t.add<std::uint32_t, T>(name("popc"), {type}, count);
    t.add<std::uint32_t, T>(name("clz"), {type}, [](T a) {
      std::uint32_t c = 0;
      while (c < n && !(a >> (n - 1 - c) & 1)) ++c;
      return c;
    });
    t.add<T, T>(name("brev"), {type}, [](T a) {
      T r = 0;
      for (int k = 0; k < n; ++k) r |= (a >> k & 1) << (n - 1 - k);
      return r;
    });
    t.add<T, T, T, std::uint32_t>("BFI." + type, {type, type, "u32"}, [](T a, T b, std::uint32_t c) {
      const std::uint32_t from = c & 255, length = c >> 8 & 255;
      for (unsigned k = 0; k < length && from + k < n; ++k)
        b = (b & ~(T(1) << (from + k))) | (a >> k & 1) << (from + k);
      return b;
    });
  }
}

void bits_of_32(Table& t) {
  using W = std::uint32_t;
  t.add<W, W, W, W>("prmt.b32", {"b32", "b32", "u32"}, [](W a, W b, W c) {
    W r = 0;
    for (int k = 0; k < 4; ++k) {
      const W pick = c >> (4 * k) & 15, byte = (pick & 4 ? b : a) >> (8 * (pick & 3)) & 255;
      r |= (pick & 8 ? (byte & 128 ? 255u : 0u) : byte) << (8 * k);
    }
    return r;
  });
  t.add<W, W, W, W>("shf.l.wrap.b32", {"b32", "b32", "u32"},
                    [](W a, W b, W c) { return c % 32 ? b << c % 32 | a >> (32 - c % 32) : b; });
  t.add<W, W, W, W>("shf.r.wrap.b32", {"b32", "b32", "u32"},
                    [](W a, W b, W c) { return c % 32 ? a >> c % 32 | b << (32 - c % 32) : a; });
  t.add<W, W, W, W>("shf.l.clamp.b32", {"b32", "b32", "u32"}, [](W a, W b, W c) {
    return c >= 32 ? a : c ? b << c | a >> (32 - c) : b;
  });
  t.add<W, W, W, W>("shf.r.clamp.b32", {"b32", "b32", "u32"}, [](W a, W b, W c) {
    return c >= 32 ? b : c ? a >> c | b << (32 - c) : a;
  });
  t.add<W, W, W, W>("lop3.b32 0x96", {"b32", "b32", "b32"}, [](W a, W b, W c) { return a ^ b ^ c; });
  t.add<W, W, W, W>("lop3.b32 0xe8", {"b32", "b32", "b32"},
                    [](W a, W b, W c) { return (a & b) | (a & c) | (b & c); });
  t.add<W, W, W, W>("lop3.b32 0xca", {"b32", "b32", "b32"}, [](W a, W b, W c) { return (a & b) | (~a & c); });
  t.add<std::int32_t, std::int32_t, std::int32_t>(
      "add.sat.s32", {"s32", "s32"},
      [](std::int32_t a, std::int32_t b) { return clamp<std::int32_t>(Wide(a) + b); });
  t.add<std::int32_t, std::int32_t, std::int32_t>(
      "sub.sat.s32", {"s32", "s32"},
      [](std::int32_t a, std::int32_t b) { return clamp<std::int32_t>(Wide(a) - b); });
  t.add<W, W, W, W>("dp4a.u32.u32", {"u32", "u32", "u32"}, [](W a, W b, W c) {
    for (int k = 0; k < 32; k += 8) c += (a >> k & 255) * (b >> k & 255);
    return c;
  });
  t.add<W, W, W, W>("dp4a.s32.u32", {"u32", "u32", "u32"}, [](W a, W b, W c) {
    for (int k = 0; k < 32; k += 8) c += static_cast<W>(static_cast<std::int8_t>(a >> k)) * (b >> k & 255);
    return c;
  });
  t.add<W, W, W>("mul24.lo.u32", {"u32", "u32"},
                 [](W a, W b) { return static_cast<W>(U(a & 0xffffff) * (b & 0xffffff)); });
  t.add<W, W, W>("bmsk.clamp.b32", {"u32", "u32"}, [](W a, W b) {
    W r = 0;
    for (U k = a; k < 32 && k < U(a) + b; ++k) r |= 1u << k;
    return r;
  });
}

const std::pair<const char*, int> kModes[] = {
    {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

float flush(float v) { return std::fabs(v) < std::numeric_limits<float>::min() ? std::copysign(0.0f, v) : v; }
float saturate(float v) { return v > 0 ? std::min(v, 1.0f) : 0.0f; }

template <class T>
void reals(Table& t, const std::string& type) {
  for (const auto& [mode, how] : kModes) {
    const int m = how;
    const auto name = [&, mode = mode](const char* op) { return std::string(op) + "." + mode + "." + type; };
    t.add<T, T, T>(name("add"), {type, type}, [m](T a, T b) {
      return rounded(m, [&] {
        volatile T x = a, y = b;
        return T(x + y);
      });
    });
    t.add<T, T, T>(name("sub"), {type, type}, [m](T a, T b) {
      return rounded(m, [&] {
        volatile T x = a, y = b;
        return T(x - y);
      });
    });
    t.add<T, T, T>(name("mul"), {type, type}, [m](T a, T b) {
      return rounded(m, [&] {
        volatile T x = a, y = b;
        return T(x * y);
      });
    });
    t.add<T, T, T>(name("div"), {type, type}, [m](T a, T b) {
      return rounded(m, [&] {
        volatile T x = a, y = b;
        return T(x / y);
      });
    });
    t.add<T, T, T, T>(name("fma"), {type, type, type}, [m](T a, T b, T c) {
      return rounded(m, [&] {
        volatile T x = a, y = b, z = c;
        return std::fma(T(x), T(y), T(z));
      });
    });
    t.add<T, T>(name("sqrt"), {type}, [m](T a) {
      return rounded(m, [&] {
        volatile T x = a;
        return std::sqrt(T(x));
      });
    });
    t.add<T, T>(name("rcp"), {type}, [m](T a) {
      return rounded(m, [&] {
        volatile T x = a;
        return T(T(1) / x);
      });
    });
  }
  const auto name = [&](const char* op) { return op + ("." + type); };
  const auto least = [](T a, T b) {
    return a != a ? b : b != b ? a : a == b && a == 0 ? (std::signbit(a) ? a : b) : std::min(a, b);
  };
  const auto most = [](T a, T b) {
    return a != a ? b : b != b ? a : a == b && a == 0 ? (std::signbit(a) ? b : a) : std::max(a, b);
  };
  t.add<T, T, T>(name("min"), {type, type}, least);
  t.add<T, T, T>(name("max"), {type, type}, most);
  t.add<T, T>(name("abs"), {type}, [](T a) { return std::fabs(a); });
  t.add<T, T>(name("neg"), {type}, [](T a) { return -a; });
  t.add<T, T, T>(name("copysign"), {type, type}, [](T a, T b) { return std::copysign(b, a); });
  t.add<bool, T>(name("testp.finite"), {type}, [](T a) { return std::isfinite(a); });
  t.add<bool, T>(name("testp.infinite"), {type}, [](T a) { return std::isinf(a); });
  t.add<bool, T>(name("testp.notanumber"), {type}, [](T a) { return std::isnan(a); });
  t.add<bool, T>(name("testp.normal"), {type}, [](T a) { return std::isnormal(a) || a == 0; });
  struct Word {
    const char* word;
    bool (*f)(T, T);
  };
  for (const Word& w :
       {Word{"eq", [](T a, T b) { return a == b; }},
        Word{"ne", [](T a, T b) { return a != b && a == a && b == b; }},
        Word{"lt", [](T a, T b) { return a < b; }}, Word{"le", [](T a, T b) { return a <= b; }},
        Word{"gt", [](T a, T b) { return a > b; }}, Word{"ge", [](T a, T b) { return a >= b; }},
        Word{"equ", [](T a, T b) { return a == b || a != a || b != b; }},
        Word{"neu", [](T a, T b) { return a != b; }},
        Word{"ltu", [](T a, T b) { return a < b || a != a || b != b; }},
        Word{"leu", [](T a, T b) { return a <= b || a != a || b != b; }},
        Word{"gtu", [](T a, T b) { return a > b || a != a || b != b; }},
        Word{"geu", [](T a, T b) { return a >= b || a != a || b != b; }},
        Word{"num", [](T a, T b) { return a == a && b == b; }},
        Word{"nan", [](T a, T b) { return a != a || b != b; }}})
    t.add<bool, T, T>(std::string("setp.") + w.word + "." + type, {type, type}, w.f);
}

void flushed_reals(Table& t) {
  t.add<float, float, float>("add.ftz.f32", {"f32", "f32"},
                             [](float a, float b) { return flush(flush(a) + flush(b)); });
  t.add<float, float, float>("mul.rz.ftz.f32", {"f32", "f32"}, [](float a, float b) {
    return flush(rounded(FE_TOWARDZERO, [&] {
      volatile float x = flush(a), y = flush(b);
      return float(x * y);
    }));
  });
  t.add<float, float, float, float>("fma.rn.ftz.f32", {"f32", "f32", "f32"}, [](float a, float b, float c) {
    return flush(std::fma(flush(a), flush(b), flush(c)));
  });
  t.add<float, float, float>("add.sat.f32", {"f32", "f32"}, [](float a, float b) { return saturate(a + b); });
  t.add<float, float, float>("mul.ftz.sat.f32", {"f32", "f32"},
                             [](float a, float b) { return saturate(flush(flush(a) * flush(b))); });
  t.add<float, float, float>("min.NaN.f32", {"f32", "f32"}, [](float a, float b) {
    return a != a || b != b ? std::nanf("") : a == b && a == 0 ? (std::signbit(a) ? a : b) : std::min(a, b);
  });
  t.add<float, float>("abs.ftz.f32", {"f32"}, [](float a) { return flush(std::fabs(a)); });
  t.add<bool, float, float>("setp.lt.ftz.f32", {"f32", "f32"},
                            [](float a, float b) { return flush(a) < flush(b); });
}

// From a real to a whole number, and back.
template <class R, class A>
void whole(Table& t, const std::string& r, const std::string& a) {
  const std::pair<const char*, A (*)(A)> modes[] = {{"rni", [](A v) { return std::nearbyint(v); }},
                                                    {"rzi", [](A v) { return std::trunc(v); }},
                                                    {"rmi", [](A v) { return std::floor(v); }},
                                                    {"rpi", [](A v) { return std::ceil(v); }}};
  for (const auto& [mode, f] : modes)
    t.add<R, A>(std::string("cvt.") + mode + "." + r + "." + a, {a}, [f = f](A v) -> R {
      if (v != v)
        return sizeof(R) == 8 || sizeof(A) == 8 ? static_cast<R>(1ull << (8 * sizeof(R) - 1)) : R(0);
      const long double w = f(v);
      if (w <= static_cast<long double>(std::numeric_limits<R>::min())) return std::numeric_limits<R>::min();
      if (w >= static_cast<long double>(std::numeric_limits<R>::max())) return std::numeric_limits<R>::max();
      return static_cast<R>(w);
    });
  for (const auto& [mode, how] : kModes)
    t.add<A, R>(std::string("cvt.") + mode + "." + a + "." + r, {r}, [m = how](R v) {
      return rounded(m, [&] {
        volatile R x = v;
        return static_cast<A>(x);
      });
    });
}

template <class R, class A>
void between(Table& t, const std::string& r, const std::string& a) {
  t.add<R, A>("cvt." + r + "." + a, {a}, [](A v) { return static_cast<R>(v); });
  const bool holds_all =
      std::is_signed_v<R> ? sizeof(R) > sizeof(A) : !std::is_signed_v<A> && sizeof(R) >= sizeof(A);
  if (holds_all) return; // nothing to saturate
  t.add<R, A>("cvt.sat." + r + "." + a, {a}, [](A v) { return static_cast<R>(clamp<R>(Wide(v))); });
}

// f16 by its 2,048 steps of each exponent: the nearest of its values, found by looking at both.
std::uint16_t half(double v) {
  const std::uint16_t sign = std::signbit(v) ? 0x8000 : 0;
  if (v != v) return 0x7fff;
  v = std::fabs(v);
  const auto value = [](unsigned h) {
    return h >> 10 == 0 ? std::ldexp(h, -24) : std::ldexp(1024 + (h & 1023), static_cast<int>(h >> 10) - 25);
  };
  unsigned low = 0, high = 0x7c00; // the last stands for 65536
  while (high - low > 1) (value((low + high) / 2) <= v ? low : high) = (low + high) / 2;
  if (v >= 65536) return sign | 0x7c00;
  const double below = v - value(low), above = value(high) - v;
  const unsigned best = below < above || (below == above && low % 2 == 0) ? low : high;
  return static_cast<std::uint16_t>(sign | best);
}
double whole_half(std::uint16_t h) {
  const unsigned e = h >> 10 & 31, m = h & 1023;
  const double v = e == 31 ? (m ? std::nan("") : HUGE_VAL)
                   : e     ? std::ldexp(1024 + m, static_cast<int>(e) - 25)
                           : std::ldexp(m, -24);
  return h >> 15 ? -v : v;
}
void halves(Table& t) {
  using H = std::uint16_t;
  t.add<H, float>("cvt.rn.f16.f32", {"f32"}, [](float v) { return half(v); });
  t.add<H, double>("cvt.rn.f16.f64", {"f64"}, [](double v) { return half(v); });
  t.add<float, H>("cvt.f32.f16", {"f16"}, [](H h) { return static_cast<float>(whole_half(h)); });
  t.add<double, H>("cvt.f64.f16", {"f16"}, [](H h) { return whole_half(h); });
  t.add<H, H, H>("add.f16", {"f16", "f16"}, [](H a, H b) { return half(whole_half(a) + whole_half(b)); });
  t.add<H, H, H>("mul.f16", {"f16", "f16"}, [](H a, H b) { return half(whole_half(a) * whole_half(b)); });
  t.add<bool, H, H>("setp.lt.f16", {"f16", "f16"}, [](H a, H b) { return whole_half(a) < whole_half(b); });
  t.add<std::int32_t, H>("cvt.rzi.s32.f16", {"f16"}, [](H h) {
    const double v = whole_half(h);
    return v != v ? 0 : std::isinf(v) ? (v > 0 ? 2147483647 : -2147483647 - 1) : static_cast<std::int32_t>(v);
  });
  t.add<std::uint32_t, std::uint32_t, std::uint32_t>(
      "add.f16x2", {"b32", "b32"}, [](std::uint32_t a, std::uint32_t b) {
        const auto one = [](std::uint32_t x, std::uint32_t y) -> std::uint32_t {
          return half(whole_half(static_cast<H>(x)) + whole_half(static_cast<H>(y)));
        };
        return one(a, b) | one(a >> 16, b >> 16) << 16;
      });
}

std::vector<U> edges_of(const std::string& type) {
  if (type == "f32")
    return {0,          0x80000000, 0x3f800000, 0xbf800000, 1,          0x80000001, 0x007fffff, 0x00800000,
            0x80800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001,
            0x3f000000, 0x3effffff, 0x3f000001, 0x4b000000, 0x4b800001, 0x4f000000, 0xcf000000, 0x4effffff,
            0x4f800000, 0x5f000000, 0x3eaaaaab, 0x40490fdb, 0x3fc00000, 0xc0200000};
  if (type == "f64")
    return {0,
            1ull << 63,
            0x3ff0000000000000,
            0xbff0000000000000,
            1,
            0x8000000000000001,
            0x000fffffffffffff,
            0x0010000000000000,
            0x7fefffffffffffff,
            0xffefffffffffffff,
            0x7ff0000000000000,
            0xfff0000000000000,
            0x7ff8000000000000,
            0xfff8000000012345,
            0x3fe0000000000000,
            0x3fdfffffffffffff,
            0x4330000000000000,
            0x41dfffffffc00000,
            0x41e0000000000000,
            0xc1e0000000000000,
            0x41efffffffe00000,
            0x43e0000000000000,
            0xc3e0000000000000,
            0x43f0000000000000,
            0x3fd5555555555555,
            0x400921fb54442d18,
            0x47efffffe0000000,
            0x47efffffefffffff,
            0x47effffff0000000,
            0x36a0000000000000,
            0x3690000000000000,
            0x380fffffe0000000};
  if (type == "f16")
    return {0,      0x8000, 0x3c00, 0xbc00, 1,      0x8001, 0x03ff, 0x0400, 0x7bff,
            0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x3800, 0x3555, 0x6400};
  std::vector<U> found = {0,
                          1,
                          2,
                          3,
                          7,
                          8,
                          15,
                          16,
                          31,
                          32,
                          33,
                          63,
                          64,
                          127,
                          128,
                          255,
                          0x7fff,
                          0x8000,
                          0xffff,
                          0x7fffffff,
                          0x80000000,
                          0xffffffff,
                          0xfffffffe,
                          0x7fffffffffffffff,
                          0x8000000000000000,
                          ~0ull,
                          ~0ull - 1,
                          0x123456789abcdef0};
  return found;
}

U masked(const std::string& type, U value) {
  const int n = std::stoi(type.substr(1));
  return n == 64 ? value : value & ((1ull << n) - 1);
}

} // namespace

std::vector<Case> cases() {
  Table t;
  integers<std::int16_t>(t, "s16");
  integers<std::uint16_t>(t, "u16");
  integers<std::int32_t>(t, "s32");
  integers<std::uint32_t>(t, "u32");
  integers<std::int64_t>(t, "s64");
  integers<std::uint64_t>(t, "u64");
  words<std::uint16_t>(t);
  words<std::uint32_t>(t);
  words<std::uint64_t>(t);
  bits_of_32(t);
  reals<float>(t, "f32");
  reals<double>(t, "f64");
  flushed_reals(t);
  whole<std::int32_t, float>(t, "s32", "f32");
  whole<std::uint32_t, float>(t, "u32", "f32");
  whole<std::int64_t, float>(t, "s64", "f32");
  whole<std::uint64_t, float>(t, "u64", "f32");
  whole<std::int32_t, double>(t, "s32", "f64");
  whole<std::uint32_t, double>(t, "u32", "f64");
  whole<std::int64_t, double>(t, "s64", "f64");
  whole<std::uint64_t, double>(t, "u64", "f64");
  for (const auto& [mode, how] : kModes)
    t.add<float, double>(std::string("cvt.") + mode + ".f32.f64", {"f64"}, [m = how](double v) {
      return rounded(m, [&] {
        volatile double x = v;
        return static_cast<float>(x);
      });
    });
  t.add<double, float>("cvt.f64.f32", {"f32"}, [](float v) { return static_cast<double>(v); });
  t.add<float, float>("cvt.rni.f32.f32", {"f32"}, [](float v) { return std::nearbyint(v); });
  t.add<float, float>("cvt.rmi.f32.f32", {"f32"}, [](float v) { return std::floor(v); });
  t.add<double, double>("cvt.rpi.f64.f64", {"f64"}, [](double v) { return std::ceil(v); });
  t.add<float, float>("cvt.sat.f32.f32", {"f32"}, [](float v) { return saturate(v); });
  between<std::int32_t, std::int64_t>(t, "s32", "s64");
  between<std::uint32_t, std::int64_t>(t, "u32", "s64");
  between<std::uint16_t, std::int32_t>(t, "u16", "s32");
  between<std::int16_t, std::uint32_t>(t, "s16", "u32");
  between<std::int64_t, std::int32_t>(t, "s64", "s32");
  between<std::uint64_t, std::int16_t>(t, "u64", "s16");
  between<std::int32_t, std::uint16_t>(t, "s32", "u16");
  halves(t);
  for (const char* op : {"rcp.approx.f32", "sqrt.approx.f32", "rsqrt.approx.f32", "ex2.approx.f32",
                         "lg2.approx.f32", "sin.approx.f32", "cos.approx.f32", "tanh.approx.f32"})
    t.approx(op, "f32", 1);
  t.approx("div.full.f32", "f32", 2);
  return t.all;
}

std::vector<U> operands(const Case& c, std::size_t k, U seed) {
  std::mt19937_64 random(seed * 31 + k * 7919 + std::hash<std::string>()(c.op));
  std::vector<U> values;
  const std::string& type = c.from[k];
  const std::vector<U> edges = edges_of(type);
  for (std::size_t i = 0; i < kValues; ++i) {
    U v;
    if (i < edges.size() * edges.size() && i < kValues / 2)
      v = k == 0   ? edges[i % edges.size()]
          : k == 1 ? edges[i / edges.size() % edges.size()]
                   : edges[random() % edges.size()];
    else if (random() % 3 == 0)
      v = edges[random() % edges.size()] + random() % 5 - 2;
    else if (random() % 2)
      v = random() >> random() % 60;
    else
      v = random();
    values.push_back(masked(type, v));
  }
  if (c.op.find(".approx") != std::string::npos) // where the C library and a GPU mean the same
    for (U& v : values) {
      const float f = std::ldexp(static_cast<float>(v % 100000) / 100000.0f + 0.001f, 1);
      std::memcpy(&v, &f, 4), v &= 0xffffffffu;
    }
  return values;
}

std::string text_of_cases(const std::vector<Case>& all) {
  std::string text = ".version 9.0\n.target sm_90\n.address_size 64\n";
  for (std::size_t n = 0; n < all.size(); ++n) {
    const Case& c = all[n];
    text += ".visible .entry case_" + std::to_string(n) +
            "(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d, .param .u32 n)\n{\n"
            "  .reg .pred %p, %q;\n  .reg .b16 %h<5>;\n  .reg .b32 %r<12>;\n  .reg .b64 %w<12>;\n"
            "  mov.u32 %r5, %ctaid.x;\n  mov.u32 %r6, %ntid.x;\n  mov.u32 %r7, %tid.x;\n  mad.lo.s32 %r5, "
            "%r5, %r6, %r7;\n"
            "  ld.param.u32 %r6, [n];\n  setp.ge.u32 %p, %r5, %r6;\n  @%p bra END;\n  mul.wide.u32 %w9, %r5, "
            "8;\n";
    std::string operands;
    for (std::size_t k = 0; k < c.from.size(); ++k) {
      const std::string place = std::to_string(k), bits = c.from[k].substr(1);
      text += "  ld.param.u64 %w10, [" + std::string(1, static_cast<char>('a' + k)) +
              "];\n  add.s64 %w10, %w10, %w9;\n  ld.global.u64 %w" + place + ", [%w10];\n";
      if (bits == "32") text += "  cvt.u32.u64 %r" + place + ", %w" + place + ";\n";
      if (bits == "16") text += "  cvt.u16.u64 %h" + place + ", %w" + place + ";\n";
      operands += ", %" + std::string(bits == "64" ? "w" : bits == "32" ? "r" : "h") + place;
    }
    std::string op = c.op, last;
    const std::string to = c.to == "pred" ? "%q" : c.to == "64" ? "%w4" : c.to == "32" ? "%r4" : "%h4";
    if (const std::size_t space = op.find(' ');
        space != std::string::npos) { // lop3.b32 0x96: an operand more
      last = "," + op.substr(space);
      op = op.substr(0, space);
    }
    if (op.substr(0, 3) == "DIV" || op.substr(0, 3) == "REM") { // by what is odd
      const std::string bits = c.from[1].substr(1), second = operands.substr(operands.rfind('%'));
      text += "  or.b" + bits + " " + second + ", " + second + ", 1;\n";
      op = (op[0] == 'D' ? "div" : "rem") + op.substr(3);
    }
    if (op.substr(0, 4) == "bfe.") // places and lengths above 255 are not defined
      text += "  and.b32 %r1, %r1, 255;\n  and.b32 %r2, %r2, 255;\n";
    if (op.substr(0, 3) == "BFI") { // its third operand holds place and length
      text += "  and.b32 %r8, %r2, 255;\n  shr.u32 %r9, %r2, 8;\n  and.b32 %r9, %r9, 255;\n";
      operands = operands.substr(0, operands.rfind(',')) + ", %r8, %r9";
      op = "bfi" + op.substr(3);
    }
    text += "  " + op + " " + to + operands + last + ";\n";
    if (c.to == "pred") text += "  selp.u64 %w4, 1, 0, %q;\n";
    if (c.to == "32") text += "  cvt.u64.u32 %w4, %r4;\n";
    if (c.to == "16") text += "  cvt.u64.u16 %w4, %h4;\n";
    text +=
        "  ld.param.u64 %w10, [d];\n  add.s64 %w10, %w10, %w9;\n  st.global.u64 [%w10], %w4;\nEND:\n  "
        "ret;\n}\n";
  }
  return text;
}

bool is_nan(const Case& c, U bits) {
  const std::string type = c.op.compare(0, 4, "cvt.") == 0 ? c.op.substr(0, c.op.rfind('.'))
                                                           : c.op; // cvt: the type before the last
  const auto ends = [&](const std::string& with) {
    return type.size() >= with.size() && type.compare(type.size() - with.size(), with.size(), with) == 0;
  };
  if (c.to == "32" && ends("f32")) return std::isnan(as<float>(bits));
  if (c.to == "64" && ends("f64")) return std::isnan(as<double>(bits));
  if (c.to == "16" && ends("f16")) return (bits & 0x7fff) > 0x7c00;
  return false;
}

} // namespace tasuki::remote::ptx::test
