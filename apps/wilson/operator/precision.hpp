// The storage of spinors and links: double, single, or 16-bit fixed point with one scale per site.
#pragma once

#include <apps/wilson/lattice/su3.hpp>

#include <cstdint>
#include <string>

namespace tasuki::wilson {

enum class Precision { double_, single, half };
std::string to_string(Precision precision); // "double", "single", "half"

struct Half {}; // a number is 16 bits times a scale

// Real: the type of computations. Element: the stored type. kPlanes: elements of a spinor.
template <class S>
struct Stored {
  using Real = S;
  using Element = S;
  static constexpr int kPlanes = kSpinorReals;
};
template <>
struct Stored<Half> {
  using Real = float;
  using Element = std::int16_t;
  static constexpr int kPlanes = kSpinorReals + 2; // and the scale, a float in two halves
};
template <class S>
using Real = typename Stored<S>::Real;

inline constexpr float kFullScale = 16383; // of a spinor: a sum of two components must not overflow
inline constexpr float kLinkScale = 32767; // of links, whose numbers are at most 1 in magnitude

// The reals of a spinor of field `in` in cell c, or at offset `by` from it, without the scale.
template <class S, class V, class C, class... By>
TS_HD auto reals_of(const V& in, const C& c, By... by) {
  return [=](int k) { return static_cast<Real<S>>(in[k](c, by...)); };
}
// The scale by which they must be multiplied.
template <class S, class V, class C, class... By>
TS_HD Real<S> scale_of(const V& in, const C& c, By... by) {
  if constexpr (std::is_same_v<S, Half>) {
    const auto low = static_cast<std::uint16_t>(in[kSpinorReals](c, by...));
    const auto high = static_cast<std::uint16_t>(in[kSpinorReals + 1](c, by...));
    return float_of(static_cast<std::uint32_t>(low) | static_cast<std::uint32_t>(high) << 16);
  } else {
    return 1;
  }
}

template <class S, class V, class C>
TS_HD Spinor<Real<S>> load_site(const V& in, const C& c) {
  Spinor<Real<S>> spinor = load_spinor<Real<S>>(reals_of<S>(in, c));
  if constexpr (std::is_same_v<S, Half>) {
    const float scale = scale_of<S>(in, c);
    WILSON_UNROLL
    for (auto& v : spinor.s) v = scale * v;
  }
  return spinor;
}

// Stores numbers in order from `turned`, times `sign`. No -0 is stored, because a halo cell is a sum with 0: it then
// has the same bits as the owner's cell.
template <class S, class V, class C>
TS_HD void store_site(const V& out, const C& c, const Spinor<Real<S>>& spinor, int turned = 0,
                      Real<S> sign = 1) {
  const auto at = [turned](int k) { return (k + turned) % kSpinorReals; };
  if constexpr (std::is_same_v<S, Half>) {
    float most = 0;
    WILSON_UNROLL
    for (const auto& v : spinor.s) WILSON_UNROLL
    for (const auto& z : v.c) {
      const float re = fabsf(z.re), im = fabsf(z.im);
      most = re > most ? re : most;
      most = im > most ? im : most;
    }
    const float inverse = most > 0 ? kFullScale / most : 0;
    store_spinor(spinor, [&](int k, float x) {
      out[at(k)](c) = static_cast<std::int16_t>(nearest(sign * x * inverse));
    });
    const std::uint32_t bits = bits_of(most / kFullScale);
    out[kSpinorReals](c) = static_cast<std::int16_t>(static_cast<std::uint16_t>(bits & 0xffff));
    out[kSpinorReals + 1](c) = static_cast<std::int16_t>(static_cast<std::uint16_t>(bits >> 16));
  } else {
    store_spinor(spinor, [&](int k, S x) { out[at(k)](c) = sign * x + S(0); });
  }
}

} // namespace tasuki::wilson
