// BiCGStab, with two or three global sums per iteration (krylov.hpp).
#pragma once

#include <apps/wilson/lattice/pieces.hpp>
#include <apps/wilson/solver/iterated.hpp>

namespace tasuki::wilson::detail {

template <class S>
struct Begin { // r0 = p = r for a new search, and x = 0
  TS_CELL void operator()(auto c, auto all, auto r, auto r0, auto p, auto x, auto offers) const {
    const ColumnScalars s(all, c);
    const bool anew = s[kAnew] != 0;
    const auto from = load_site<S>(r, c);
    store_site<S>(unless(!anew, r0), c, from);
    store_site<S>(unless(!anew, p), c, from);
    store_site<S>(x, c, Spinor<Real<S>>{});
    const auto rho = inner(load_site<S>(r0, c), from);
    put_offers<Real<S>>(c, {norm2(from), rho.re, rho.im}, offers);
  }
};
struct Begun {
  TS_CELL void operator()(double* s, double norm, double re, double im) const {
    put(s, kRho, s[kAnew] != 0 ? Complex<double>{norm, 0} : Complex<double>{re, im});
    begun(s, norm);
  }
};

struct Alpha { // rho / (r0, v)
  TS_CELL void operator()(double* s, double re, double im) const {
    s[kRests] = s[kGoes] == 0;
    const Complex<double> r0v{re, im};
    const bool sound = some(norm2(r0v)) && some(norm2(get(s, kRho)));
    if (!sound && s[kRests] == 0) s[kBroken] = 1;
    put(s, kAlpha, sound && s[kRests] == 0 ? over(get(s, kRho), r0v) : Complex<double>{0, 0});
  }
};
template <class S>
struct Shorten { // r -= alpha v
  TS_CELL void operator()(auto c, auto all, auto v, auto r) const {
    const auto alpha = ColumnScalars(all, c).template factor<Real<S>>(kAlpha);
    by_pieces<S, 2>(
        [&](const auto& piece) { piece.store(r, c, axpy(-alpha, piece.load(v, c), piece.load(r, c))); });
  }
};
// omega = (t, s) / |t|^2, and the following scalars. A resting column keeps the rho and beta of its last iteration.
TS_HD void minimise(double* s, double tt, Complex<double> ts) {
  const bool sound = some(tt) && some(norm2(ts));
  put(s, kOmega, sound && s[kRests] == 0 ? (1 / tt) * ts : Complex<double>{0, 0});
}
TS_HD void turn(double* s, Complex<double> rho, double norm) {
  if (s[kRests] != 0) return;
  const Complex<double> omega = get(s, kOmega);
  const bool sound = some(norm2(rho)) && some(norm2(omega)) && some(norm2(get(s, kRho)));
  if (!sound) s[kBroken] = 1;
  put(s, kBeta, sound ? over(rho, get(s, kRho)) * over(get(s, kAlpha), omega) : Complex<double>{0, 0});
  put(s, kRho, rho);
  iterated(s, norm);
}
struct OmegaAndBeta { // for two sums
  TS_CELL void operator()(double* s, double tt, double ss, double ts_re, double ts_im, double r0t_re,
                          double r0t_im, double r0s_re, double r0s_im) const {
    minimise(s, tt, {ts_re, ts_im});
    const Complex<double> omega = get(s, kOmega);
    const Complex<double> rho = Complex<double>{r0s_re, r0s_im} - omega * Complex<double>{r0t_re, r0t_im};
    const double less = tt * norm2(omega);
    turn(s, rho, ss > less ? ss - less : 0);
  }
};
struct Omega { // for three sums
  TS_CELL void operator()(double* s, double tt, double, double ts_re, double ts_im, double, double, double,
                          double) const {
    minimise(s, tt, {ts_re, ts_im});
  }
};
struct Beta {
  TS_CELL void operator()(double* s, double norm, double re, double im) const { turn(s, {re, im}, norm); }
};
template <class S>
struct Step { // x += alpha p + omega s, r = s - omega t, p = r + beta (p - omega v), where r holds s
  static constexpr int kBlocksAtOnce = kBlocksFor<S>;
  TS_CELL void operator()(auto c, auto all, auto t, auto v, auto x, auto r, auto p) const {
    using R = Real<S>;
    const ColumnScalars s(all, c);
    const bool rests = s[kRests] != 0;
    const auto alpha = s.template factor<R>(kAlpha), omega = s.template factor<R>(kOmega),
               beta = s.template factor<R>(kBeta);
    by_pieces<S, 5>([&](const auto& piece) {
      const auto from = piece.load(r, c), along = piece.load(p, c), now = piece.load(x, c),
                 a_from = piece.load(t, c), a_along = piece.load(v, c);
      const auto left = axpy(-omega, a_from, from);
      piece.store(unless(rests, x), c, axpy(omega, from, axpy(alpha, along, now)));
      piece.store(r, c, left);
      piece.store(unless(rests, p), c, axpy(beta, axpy(-omega, a_along, along), left));
    });
  }
};
template <class S>
struct StepAndSum { // the same without p, with the contributions to beta
  static constexpr int kBlocksAtOnce = kBlocksFor<S>;
  TS_CELL void operator()(auto c, auto all, auto t, auto p, auto r0, auto x, auto r, auto offers) const {
    using R = Real<S>;
    const ColumnScalars s(all, c);
    const auto alpha = s.template factor<R>(kAlpha), omega = s.template factor<R>(kOmega);
    const bool rests = s[kRests] != 0;
    NormSoFar<R> norm;
    InnerSoFar<R> rho;
    by_pieces<S, 5>([&](const auto& piece) {
      const auto from = piece.load(r, c), along = piece.load(p, c), now = piece.load(x, c),
                 a_from = piece.load(t, c), against = piece.load(r0, c);
      const auto left = axpy(-omega, a_from, from);
      piece.store(unless(rests, x), c, axpy(omega, from, axpy(alpha, along, now)));
      piece.store(r, c, left);
      norm.add(left);
      rho.add(against, left);
    });
    put_offers<R>(c, {norm.sum, rho.sum.re, rho.sum.im}, offers);
  }
};
template <class S>
struct Turn { // p = r + beta (p - omega v)
  TS_CELL void operator()(auto c, auto all, auto r, auto v, auto p) const {
    using R = Real<S>;
    const ColumnScalars s(all, c);
    const auto omega = s.template factor<R>(kOmega), beta = s.template factor<R>(kBeta);
    const bool rests = s[kRests] != 0;
    by_pieces<S, 3>([&](const auto& piece) {
      piece.store(unless(rests, p), c,
                  axpy(beta, axpy(-omega, piece.load(v, c), piece.load(p, c)), piece.load(r, c)));
    });
  }
};

template <class S>
class BiCGStab final : public Iterated<S> {
  using Base = Iterated<S>;
  using Base::all_, Base::scalars_, Base::r_, Base::x_, Base::odd_, Base::begin_, Base::iteration_;

public:
  BiCGStab(const Block& block, const Dirac<S>& dirac, double kappa, const KrylovOptions& options)
      : Base(block, options.look_every),
        r0_(make_spinors<S>(block, "r0")),
        p_(make_spinors<S>(block, "p")),
        v_(make_spinors<S>(block, "v")),
        t_(make_spinors<S>(block, "t")),
        rho_(block, "|r|^2, (r0, r)"),
        r0v_(block, "(r0, v)"),
        sums_(block, "|t|^2, |s|^2, (t, s), (r0, t), (r0, s)") {
    begin_ = program(sweep(Begin<S>{}, all_, uses(scalars_), reads(r_), updates(r0_), updates(p_), writes(x_),
                           writes(rho_.offers())),
                     rho_.template settle<kSlots>(Begun{}, scalars_));
    const double k2 = -kappa * kappa;
    const Items search = items(dirac.hop(1, odd_, p_)) + items(dirac.combine(v_, p_, odd_, k2, r0_, r0v_)) +
                         r0v_.template settle<kSlots>(Alpha{}, scalars_) +
                         items(sweep(Shorten<S>{}, all_, uses(scalars_), reads(v_), updates(r_))) +
                         items(dirac.hop(1, odd_, r_)) + items(dirac.combine(t_, r_, odd_, k2, r0_, sums_));
    if (options.sums == 2)
      iteration_ = program(search, sums_.template settle<kSlots>(OmegaAndBeta{}, scalars_),
                           sweep(Step<S>{}, all_, uses(scalars_), reads(t_), reads(v_), updates(x_),
                                 updates(r_), updates(p_)));
    else
      iteration_ = program(search, sums_.template settle<kSlots>(Omega{}, scalars_),
                           sweep(StepAndSum<S>{}, all_, uses(scalars_), reads(t_), reads(p_), reads(r0_),
                                 updates(x_), updates(r_), writes(rho_.offers())),
                           rho_.template settle<kSlots>(Beta{}, scalars_),
                           sweep(Turn<S>{}, all_, uses(scalars_), reads(r_), reads(v_), updates(p_)));
  }

private:
  Spinors<S> r0_, p_, v_, t_;
  ColumnSums<Real<S>, 3> rho_;
  ProjectSums<S> r0v_;
  MinimiseSums<S> sums_;
};

} // namespace tasuki::wilson::detail
