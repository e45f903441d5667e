// The pieces of a spinor in which sums of vectors are computed: a few numbers if each is stored separately, to limit
// the register pressure, or the whole spinor if all numbers share a scale.
#pragma once

#include <apps/wilson/lattice/gamma.hpp>
#include <apps/wilson/operator/hopping.hpp>
#include <apps/wilson/operator/precision.hpp>

namespace tasuki::wilson {

template <class S>
struct OneNumber {
  int k; // of kSpins * kColours

  using Value = Complex<Real<S>>;
  template <class V, class C>
  TS_HD Value load(const V& in, const C& c) const {
    return {static_cast<Real<S>>(in[2 * k](c)), static_cast<Real<S>>(in[2 * k + 1](c))};
  }
  // Of gamma_5 times the spinor.
  template <class V, class C>
  TS_HD Value load_gamma5(const V& in, const C& c) const {
    constexpr int kAll = kSpins * kColours;
    return Real<S>(-1) * OneNumber{(k + kAll / 2) % kAll}.load(in, c);
  }
  template <class V, class C>
  TS_HD void store(const V& out, const C& c, const Value& z) const { // stores no -0, like store_site()
    out[2 * k](c) = z.re + Real<S>(0);
    out[2 * k + 1](c) = z.im + Real<S>(0);
  }
};

// Several complex numbers, all of which are loaded before any is stored: for all that a compiler knows, a store changes what
// is loaded after it, so a thread that went on number by number would wait for memory as often as there are numbers.
template <class R, int N>
struct Several {
  Complex<R> z[N];
};
template <class S, int N>
struct SeveralNumbers {
  int k; // the first

  using Value = Several<Real<S>, N>;
  template <class V, class C>
  TS_HD Value load(const V& in, const C& c) const {
    return each([&](const OneNumber<S>& one) { return one.load(in, c); });
  }
  template <class V, class C>
  TS_HD Value load_gamma5(const V& in, const C& c) const {
    return each([&](const OneNumber<S>& one) { return one.load_gamma5(in, c); });
  }
  template <class V, class C>
  TS_HD void store(const V& out, const C& c, const Value& value) const {
    WILSON_UNROLL
    for (int i = 0; i < N; ++i) OneNumber<S>{k + i}.store(out, c, value.z[i]);
  }

private:
  template <class Load>
  TS_HD Value each(const Load& load) const {
    Value value;
    WILSON_UNROLL
    for (int i = 0; i < N; ++i) value.z[i] = load(OneNumber<S>{k + i});
    return value;
  }
};

template <class S>
struct AllNumbers {
  using Value = Spinor<Real<S>>;
  template <class V, class C>
  TS_HD Value load(const V& in, const C& c) const {
    return load_site<S>(in, c);
  }
  template <class V, class C>
  TS_HD Value load_gamma5(const V& in, const C& c) const {
    return gamma5(load_site<S>(in, c));
  }
  template <class V, class C>
  TS_HD void store(const V& out, const C& c, const Value& spinor) const {
    store_site<S>(out, c, spinor);
  }
};

// Calls work(piece) for each piece of a spinor. `Fields`: how many fields a cell function loads of a piece. On a GPU a thread
// has up to some 40 numbers on their way at a time, which leaves registers for two thread blocks a multiprocessor.
template <class S, int Fields, class Work>
TS_HD void by_pieces(const Work& work) {
  if constexpr (std::is_same_v<S, Half>) {
    work(AllNumbers<S>{});
  } else {
    constexpr int kAll = kSpins * kColours;
#if defined(__CUDA_ARCH__)
    constexpr int kAtOnce = Fields <= 4 ? 6 : Fields <= 5 ? 4 : 3;
    WILSON_UNROLL
    for (int k = 0; k < kAll; k += kAtOnce) work(SeveralNumbers<S, kAtOnce>{k});
#else
    WILSON_UNROLL
    for (int k = 0; k < kAll; ++k) work(OneNumber<S>{k});
#endif
  }
}

// y + a x
template <class R>
TS_HD Complex<R> axpy(Complex<R> a, const Complex<R>& x, const Complex<R>& y) {
  return multiply_add(a, x, y);
}
template <class R>
TS_HD Complex<R> axpy(R a, const Complex<R>& x, const Complex<R>& y) {
  return {fused(a, x.re, y.re), fused(a, x.im, y.im)};
}
template <class F, class R, int N>
TS_HD Several<R, N> axpy(F a, const Several<R, N>& x, const Several<R, N>& y) {
  Several<R, N> sum;
  WILSON_UNROLL
  for (int i = 0; i < N; ++i) sum.z[i] = axpy(a, x.z[i], y.z[i]);
  return sum;
}
template <class F, class R>
TS_HD Spinor<R> axpy(F a, const Spinor<R>& x, const Spinor<R>& y) {
  Spinor<R> z;
  WILSON_UNROLL
  for (int s = 0; s < kSpins; ++s) WILSON_UNROLL
  for (int i = 0; i < kColours; ++i) z.s[s].c[i] = axpy(a, x.s[s].c[i], y.s[s].c[i]);
  return z;
}

// Sums over pieces: |a|^2, and conj(a) b.
template <class R>
struct NormSoFar {
  R sum = 0;
  TS_HD void add(const Complex<R>& z) { sum += norm2(z); }
  template <int N>
  TS_HD void add(const Several<R, N>& a) {
    WILSON_UNROLL
    for (const Complex<R>& z : a.z) add(z);
  }
  TS_HD void add(const Spinor<R>& a) { sum = norm2(a); }
};
template <class R>
struct InnerSoFar {
  Complex<R> sum{0, 0};
  TS_HD void add(const Complex<R>& a, const Complex<R>& b) { sum = conj_multiply_add(a, b, sum); }
  template <int N>
  TS_HD void add(const Several<R, N>& a, const Several<R, N>& b) {
    WILSON_UNROLL
    for (int i = 0; i < N; ++i) add(a.z[i], b.z[i]);
  }
  TS_HD void add(const Spinor<R>& a, const Spinor<R>& b) { sum = inner(a, b); }
};

} // namespace tasuki::wilson
