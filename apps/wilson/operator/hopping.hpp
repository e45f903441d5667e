// The Wilson-Dirac operator at a site: eight hops, and the operations on their sum.
#pragma once

#include <apps/wilson/lattice/gamma.hpp>
#include <apps/wilson/lattice/lattice.hpp>
#include <apps/wilson/operator/compressed.hpp>

namespace tasuki::wilson {

// The number of sites along an axis of the lattice. Cell types with other axes overload this function.
template <class C>
TS_HD long extent_along(const C& c, int axis) {
  return c.extent(axis);
}

// H psi(n) = sum over mu of (1 - gamma_mu) U_mu(n) psi(n+mu) + (1 + gamma_mu) U_mu(n-mu)^dagger psi(n-mu) at the sites
// of one parity. Links of 18 numbers include signs and weights; others are multiplied by `weight`, and by `weight`
// plus `more` if a hop crosses the boundary of the lattice.
template <class S, int Numbers>
struct Hopping {
  using R = Real<S>;
  int parity;      // of n
  R weight[kAxes]; // of the hops along an axis
  R more
      [kAxes]; // the difference for hops across the boundary: a sum, since a branch would prevent vectorisation

  template <class C, class Psi, class Here, class There>
  TS_HD Spinor<R> operator()(const C& c, const Psi& in, const Here& here, const There& there) const {
    const int bit = x_bit(parity, row_parity(c));
    Spinor<R> sum{};
    hop<0, 1>(sum, c, in, here, last(c, 0, forward_x(bit)), forward_x(bit), 0, 0, 0);
    hop<0, -1>(sum, c, in, there, first(c, 0, -backward_x(bit)), backward_x(bit), 0, 0, 0);
    hop<1, 1>(sum, c, in, here, last(c, 1), 0, 1, 0, 0);
    hop<1, -1>(sum, c, in, there, first(c, 1), 0, -1, 0, 0);
    hop<2, 1>(sum, c, in, here, last(c, 2), 0, 0, 1, 0);
    hop<2, -1>(sum, c, in, there, first(c, 2), 0, 0, -1, 0);
    hop<3, 1>(sum, c, in, here, last(c, 3), 0, 0, 0, 1);
    hop<3, -1>(sum, c, in, there, first(c, 3), 0, 0, 0, -1);
    return sum;
  }

private:
  // 1 if a forward or a backward step crosses the boundary. by: number of cells of the step.
  template <class C>
  static TS_HD int last(const C& c, int axis, int by = 1) {
    return static_cast<int>(along(c, axis)) + by == static_cast<int>(extent_along(c, axis));
  }
  template <class C>
  static TS_HD int first(const C& c, int axis, int by = 1) {
    return static_cast<int>(along(c, axis)) - by < 0;
  }
  template <int Axis, int Sign, class C, class Psi, class Links, class... By>
  TS_HD void hop(Spinor<R>& sum, const C& c, const Psi& in, const Links& links, int leaves, By... by) const {
    const HalfSpinor<R> h = project<Axis, Sign, R>(reals_of<S>(in, c, by...));
    HalfSpinor<R> g;
    if constexpr (Sign > 0) {
      const Matrix<R> u = load_link<S, Numbers>(links, Axis, c);
      g = {{multiply(u, h.s[0]), multiply(u, h.s[1])}};
    } else {
      const Matrix<R> u = load_link<S, Numbers>(links, Axis, c, by...);
      g = {{adjoint_multiply(u, h.s[0]), adjoint_multiply(u, h.s[1])}};
    }
    if constexpr (Numbers != 18 || std::is_same_v<S, Half>) {
      R factor = scale_of<S>(in, c, by...);
      if constexpr (Numbers != 18) factor *= fused(static_cast<R>(leaves), more[Axis], weight[Axis]);
      g = {{factor * g.s[0], factor * g.s[1]}};
    }
    add_whole<Axis, Sign>(sum, g);
  }
};

// The complex sum of conj(a) b over the components, and |a|^2.
template <class R>
TS_HD Complex<R> inner(const Spinor<R>& a, const Spinor<R>& b) {
  Complex<R> sum{0, 0};
  WILSON_UNROLL
  for (int s = 0; s < kSpins; ++s) WILSON_UNROLL
  for (int i = 0; i < kColours; ++i) sum = conj_multiply_add(a.s[s].c[i], b.s[s].c[i], sum);
  return sum;
}
template <class R>
TS_HD R norm2(const Spinor<R>& a) {
  R sum = 0;
  WILSON_UNROLL
  for (const auto& v : a.s) WILSON_UNROLL
  for (const auto& z : v.c) sum += norm2(z);
  return sum;
}

// Stores a value for each of several sums. They are a parameter pack, since nvcc 13 fails with ten `auto` parameters.
template <class C, int N, class... Sums>
TS_HD void offer(const C& c, const double (&values)[N], const Sums&... sums) {
  static_assert(sizeof...(sums) == N);
  int k = 0;
  (sums(c, values[k++]), ...);
}

// Thread blocks at once (walk_cuda.hpp). One alone gets 255 registers, which doubles need; shorter numbers have shorter
// loads, so more threads must wait for memory at the same time. An operator on 32^3 x 64 sites with links of 12 numbers, on
// one H100, by 1, 2, 3 blocks: double 861, 1104 us; single 502, 437, 499; half 489, 354, 367.
template <class S>
inline constexpr int kBlocksFor = std::is_same_v<S, double> ? 1 : 2;

template <class S, int Numbers>
struct HopOver { // out = H in
  static constexpr int kBlocksAtOnce = kBlocksFor<S>;
  Hopping<S, Numbers> hopping;
  TS_CELL void operator()(auto c, auto out, auto in, auto here, auto there) const {
    store_site<S>(out, c, hopping(c, in, here, there));
  }
};

// out = x + factor H in, times gamma_5 if requested: the second half of the even-odd operator with factor = -kappa^2,
// and the operator itself with -kappa. The functions below also compute sums.
template <class S, int Numbers>
struct Combine {
  static constexpr int kBlocksAtOnce = kBlocksFor<S>;
  using R = Real<S>;
  Hopping<S, Numbers> hopping;
  R factor;
  bool by_gamma5;

  // x + factor sum. Callers compute the sum of the hops first, and load x then: it would keep registers from the loads of the
  // hops.
  TS_HD Spinor<R> value(Spinor<R> sum, const Spinor<R>& x) const {
    WILSON_UNROLL
    for (int s = 0; s < kSpins; ++s) WILSON_UNROLL
    for (int i = 0; i < kColours; ++i) {
      Complex<R>& z = sum.s[s].c[i];
      z = {fused(factor, z.re, x.s[s].c[i].re), fused(factor, z.im, x.s[s].c[i].im)};
    }
    return sum;
  }
  // gamma_5 is a permutation and a sign: a branch between spinors would prevent vectorisation over cells.
  template <class To, class C>
  TS_HD void store(const To& out, const C& c, const Spinor<R>& spinor) const {
    store_site<S>(out, c, spinor, by_gamma5 ? kSpinorReals / 2 : 0, by_gamma5 ? R(-1) : R(1));
  }
  TS_CELL void operator()(auto c, auto out, auto x, auto in, auto here, auto there) const {
    const auto sum = hopping(c, in, here, there);
    store(out, c, value(sum, load_site<S>(x, c)));
  }
};

template <class S, int Numbers>
struct CombineAndNorm { // and |out|^2
  static constexpr int kBlocksAtOnce = kBlocksFor<S>;
  Combine<S, Numbers> combine;
  TS_CELL void operator()(auto c, auto out, auto x, auto in, auto here, auto there, auto norm) const {
    const auto sum = combine.hopping(c, in, here, there);
    const auto value = combine.value(sum, load_site<S>(x, c));
    combine.store(out, c, value);
    norm(c, static_cast<double>(norm2(value)));
  }
};

template <class S, int Numbers>
struct CombineAndProject { // and (w, out)
  static constexpr int kBlocksAtOnce = kBlocksFor<S>;
  Combine<S, Numbers> combine;
  TS_CELL void operator()(auto c, auto out, auto x, auto in, auto here, auto there, auto w,
                          auto... sums) const {
    const auto sum = combine.hopping(c, in, here, there);
    const auto against = load_site<S>(w, c);
    const auto value = combine.value(sum, load_site<S>(x, c));
    combine.store(out, c, value);
    const auto dot = inner(against, value);
    offer(c, {double(dot.re), double(dot.im)}, sums...);
  }
};

// And |out|^2, |x|^2, (out, x), (w, out), (w, x): all sums of an iteration of BiCGStab.
template <class S, int Numbers>
struct CombineAndMinimise {
  static constexpr int kBlocksAtOnce = kBlocksFor<S>;
  Combine<S, Numbers> combine;
  TS_CELL void operator()(auto c, auto out, auto x, auto in, auto here, auto there, auto w,
                          auto... sums) const {
    const auto sum = combine.hopping(c, in, here, there);
    const auto from = load_site<S>(x, c), against = load_site<S>(w, c);
    const auto value = combine.value(sum, from);
    combine.store(out, c, value);
    const auto out_x = inner(value, from), w_out = inner(against, value), w_x = inner(against, from);
    offer(c,
          {double(norm2(value)), double(norm2(from)), double(out_x.re), double(out_x.im), double(w_out.re),
           double(w_out.im), double(w_x.re), double(w_x.im)},
          sums...);
  }
};

} // namespace tasuki::wilson
