// The inner solvers for one way to store numbers. Included by one source for each, compiled for every device.
#pragma once

#include <apps/wilson/krylov.hpp>
#include <apps/wilson/pieces.hpp>

#include <algorithm>
#include <cmath>

namespace tasuki::wilson {
namespace detail {

inline constexpr int kKept = 16; // of the last iterations' |r|^2
// Scalars of an iteration. A complex number takes two places.
enum Slot {
  kRho,
  kAlpha = 2,
  kOmega = 4,
  kBeta = 6,
  kNorm = 8,
  kIterations,
  kBroken,
  kHistory,
  kSlots = kHistory + kKept
};

TS_HD Complex<double> get(const double* s, int slot) { return {s[slot], s[slot + 1]}; }
TS_HD void put(double* s, int slot, Complex<double> z) {
  s[slot] = z.re;
  s[slot + 1] = z.im;
}
template <class R>
TS_HD Complex<R> factor(const ScalarsView& s, int slot) {
  return {static_cast<R>(s[slot]), static_cast<R>(s[slot + 1])};
}
TS_HD Complex<double> over(Complex<double> a, Complex<double> b) { return (1 / norm2(b)) * (a * conj(b)); }
// Whether a number can be divided by. Nothing smaller comes of sums of squares that are not 0.
TS_HD bool some(double size) { return size > 1e-290 && size < 1e290; }

TS_HD void iterated(double* s, double norm) {
  s[kNorm] = norm;
  s[kHistory + static_cast<int>(s[kIterations]) % kKept] = norm;
  s[kIterations] += 1;
}

// What both solvers are: a program of an iteration, done until the scalars say that it is enough.
template <class S>
class Iterated : public Krylov<S> {
public:
  const Spinors<S>& residual() const override { return r_; }
  const Spinors<S>& solution() const override { return x_; }

  Stretch advance(double bound, int most, const std::function<bool(double)>& each) override {
    Stretch stretch;
    int seen = 0;
    bool enough = false;
    const auto look = [&] {
      const auto s = scalars_.value();
      const int done = static_cast<int>(s[kIterations]);
      for (; seen < done; ++seen) { // those too that were done before anybody looked
        stretch.norm2 = s[static_cast<std::size_t>(kHistory + seen % kKept)];
        enough = each(stretch.norm2) || !(stretch.norm2 >= bound) || enough;
      }
      stretch.iterations = done;
      stretch.norm2 = s[kNorm];
      stretch.broke_down = s[kBroken] != 0 || !std::isfinite(s[kNorm]);
      return enough || stretch.broke_down;
    };
    auto s = scalars_.value();
    s[kIterations] = 0;
    s[kBroken] = 0;
    scalars_.set(s);
    if (!(s[kNorm] >= bound)) {
      stretch.norm2 = s[kNorm];
      stretch.broke_down = !std::isfinite(s[kNorm]);
      return stretch;
    }
    const RunReport report = run(*iteration_, {.times = most, .until = {look, look_every_}});
    if (!report.reached) look();
    stretch.interrupted = report.interrupted;
    return stretch;
  }

protected:
  Iterated(const Lattice& lattice, int look_every)
      : all_(lattice.grid().all()),
        scalars_(lattice.world(), "solver"),
        r_(make_spinors<S>(lattice, "r")),
        x_(make_spinors<S>(lattice, "x")),
        odd_(make_spinors<S>(lattice, "odd")),
        look_every_(std::clamp(look_every, 1, kKept)) {}

  Region<kAxes> all_;
  Scalars<kSlots> scalars_;
  Spinors<S> r_, x_, odd_;
  std::optional<Program> iteration_;

private:
  int look_every_;
};

// ---- BiCGStab

template <class S>
struct Begin { // r0 = p = r, x = 0
  TS_CELL void operator()(auto c, auto r, auto r0, auto p, auto x, auto norm) const {
    const auto from = load_site<S>(r, c);
    store_site<S>(r0, c, from);
    store_site<S>(p, c, from);
    store_site<S>(x, c, Spinor<Real<S>>{});
    norm(c, static_cast<double>(norm2(from)));
  }
};
struct Begun {
  TS_CELL void operator()(double* s, double norm) const {
    put(s, kRho, {norm, 0});
    s[kNorm] = norm;
  }
};
template <class S>
struct GoOn { // x = 0
  TS_CELL void operator()(auto c, auto r, auto r0, auto x, auto... sums) const {
    const auto from = load_site<S>(r, c);
    const auto rho = inner(load_site<S>(r0, c), from);
    store_site<S>(x, c, Spinor<Real<S>>{});
    offer(c, {double(norm2(from)), double(rho.re), double(rho.im)}, sums...);
  }
};
struct GoneOn {
  TS_CELL void operator()(double* s, double norm, double re, double im) const {
    put(s, kRho, {re, im});
    s[kNorm] = norm;
  }
};

struct Alpha { // rho / (r0, v)
  TS_CELL void operator()(double* s, double re, double im) const {
    const Complex<double> r0v{re, im};
    const bool sound = some(norm2(r0v)) && some(norm2(get(s, kRho)));
    if (!sound) s[kBroken] = 1;
    put(s, kAlpha, sound ? over(get(s, kRho), r0v) : Complex<double>{0, 0});
  }
};
template <class S>
struct Shorten { // r -= alpha v
  TS_CELL void operator()(auto c, auto s, auto v, auto r) const {
    const auto alpha = factor<Real<S>>(s, kAlpha);
    by_pieces<S>(
        [&](const auto& piece) { piece.store(r, c, axpy(-alpha, piece.load(v, c), piece.load(r, c))); });
  }
};
// omega = (t, s) / |t|^2, and what follows from it.
TS_HD void minimise(double* s, double tt, Complex<double> ts) {
  const bool sound = some(tt) && some(norm2(ts));
  put(s, kOmega, sound ? (1 / tt) * ts : Complex<double>{0, 0});
}
TS_HD void turn(double* s, Complex<double> rho, double norm) {
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
struct Omega { // for three
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
  TS_CELL void operator()(auto c, auto s, auto t, auto v, auto x, auto r, auto p) const {
    using R = Real<S>;
    const auto alpha = factor<R>(s, kAlpha), omega = factor<R>(s, kOmega), beta = factor<R>(s, kBeta);
    by_pieces<S>([&](const auto& piece) {
      const auto from = piece.load(r, c), along = piece.load(p, c);
      piece.store(x, c, axpy(omega, from, axpy(alpha, along, piece.load(x, c))));
      const auto left = axpy(-omega, piece.load(t, c), from);
      piece.store(r, c, left);
      piece.store(p, c, axpy(beta, axpy(-omega, piece.load(v, c), along), left));
    });
  }
};
template <class S>
struct StepAndSum { // the same but for p, and what beta takes
  TS_CELL void operator()(auto c, auto s, auto t, auto p, auto r0, auto x, auto r, auto... sums) const {
    using R = Real<S>;
    const auto alpha = factor<R>(s, kAlpha), omega = factor<R>(s, kOmega);
    NormSoFar<R> norm;
    InnerSoFar<R> rho;
    by_pieces<S>([&](const auto& piece) {
      const auto from = piece.load(r, c);
      piece.store(x, c, axpy(omega, from, axpy(alpha, piece.load(p, c), piece.load(x, c))));
      const auto left = axpy(-omega, piece.load(t, c), from);
      piece.store(r, c, left);
      norm.add(left);
      rho.add(piece.load(r0, c), left);
    });
    offer(c, {double(norm.sum), double(rho.sum.re), double(rho.sum.im)}, sums...);
  }
};
template <class S>
struct Turn { // p = r + beta (p - omega v)
  TS_CELL void operator()(auto c, auto s, auto r, auto v, auto p) const {
    using R = Real<S>;
    const auto omega = factor<R>(s, kOmega), beta = factor<R>(s, kBeta);
    by_pieces<S>([&](const auto& piece) {
      piece.store(p, c, axpy(beta, axpy(-omega, piece.load(v, c), piece.load(p, c)), piece.load(r, c)));
    });
  }
};

template <class S>
class BiCGStab final : public Iterated<S> {
  using Base = Iterated<S>;
  using Base::all_, Base::scalars_, Base::r_, Base::x_, Base::odd_, Base::iteration_;

public:
  BiCGStab(const Lattice& lattice, const Dirac<S>& dirac, double kappa, const KrylovOptions& options)
      : Base(lattice, options.look_every),
        r0_(make_spinors<S>(lattice, "r0")),
        p_(make_spinors<S>(lattice, "p")),
        v_(make_spinors<S>(lattice, "v")),
        t_(make_spinors<S>(lattice, "t")),
        norm_(lattice.world(), "|r|^2"),
        rho_(lattice.world(), "(r0, r)"),
        r0v_(lattice.world(), "(r0, v)"),
        sums_(lattice.world()) {
    begin_ = program(sweep(Begin<S>{}, all_, reads(r_), writes(r0_), writes(p_), writes(x_), reduces(norm_)),
                     settle(Begun{}, scalars_, norm_));
    go_on_ = program(sweep(GoOn<S>{}, all_, reads(r_), reads(r0_), writes(x_), reduces(norm_),
                           reduces(rho_.re), reduces(rho_.im)),
                     settle(GoneOn{}, scalars_, norm_, rho_.re, rho_.im));
    const double k2 = -kappa * kappa;
    Items items = tasuki::items(dirac.hop(1, odd_, p_));
    const auto add = [&](const auto& part) {
      for (const Item& item : tasuki::items(part)) items.push_back(item);
    };
    add(dirac.combine(v_, p_, odd_, k2, r0_, r0v_));
    add(settle(Alpha{}, scalars_, r0v_.re, r0v_.im));
    add(sweep(Shorten<S>{}, all_, uses(scalars_), reads(v_), updates(r_)));
    add(dirac.hop(1, odd_, r_));
    add(dirac.combine(t_, r_, odd_, k2, r0_, sums_));
    const auto settled = [&](auto f) {
      return settle(f, scalars_, sums_.out_norm, sums_.x_norm, sums_.out_x.re, sums_.out_x.im, sums_.w_out.re,
                    sums_.w_out.im, sums_.w_x.re, sums_.w_x.im);
    };
    if (options.sums == 2) {
      add(settled(OmegaAndBeta{}));
      add(sweep(Step<S>{}, all_, uses(scalars_), reads(t_), reads(v_), updates(x_), updates(r_),
                updates(p_)));
    } else {
      add(settled(Omega{}));
      add(sweep(StepAndSum<S>{}, all_, uses(scalars_), reads(t_), reads(p_), reads(r0_), updates(x_),
                updates(r_), reduces(norm_), reduces(rho_.re), reduces(rho_.im)));
      add(settle(Beta{}, scalars_, norm_, rho_.re, rho_.im));
      add(sweep(Turn<S>{}, all_, uses(scalars_), reads(r_), reads(v_), updates(p_)));
    }
    iteration_.emplace(std::move(items));
  }

  void begin() override { run(*begin_); }
  void go_on() override { run(*go_on_); }

private:
  Spinors<S> r0_, p_, v_, t_;
  Sum<double> norm_;
  ComplexSum rho_, r0v_;
  MinimiseSums sums_;
  std::optional<Program> begin_, go_on_;
};

// ---- CG

template <class S>
struct Mirror { // out = gamma_5 r, x = 0
  TS_CELL void operator()(auto c, auto r, auto out, auto x) const {
    store_site<S>(out, c, gamma5(load_site<S>(r, c)));
    store_site<S>(x, c, Spinor<Real<S>>{});
  }
};
template <class S>
struct Measure { // |r|^2 and |z|^2, and p = z if asked for
  bool start;
  TS_CELL void operator()(auto c, auto r, auto z, auto p, auto norm, auto zz) const {
    const auto from = load_site<S>(z, c);
    if (start) store_site<S>(p, c, from);
    norm(c, static_cast<double>(norm2(load_site<S>(r, c))));
    zz(c, static_cast<double>(norm2(from)));
  }
};
struct Measured {
  TS_CELL void operator()(double* s, double norm, double zz) const {
    put(s, kRho, {zz, 0});
    s[kNorm] = norm;
  }
};
struct Length { // alpha = |z|^2 / |Q p|^2
  TS_CELL void operator()(double* s, double qq) const {
    const bool sound = some(qq) && some(s[kRho]);
    if (!sound) s[kBroken] = 1;
    s[kAlpha] = sound ? s[kRho] / qq : 0;
  }
};
template <class S>
struct Descend { // x += alpha p, r -= alpha gamma_5 q, z -= alpha w
  TS_CELL void operator()(auto c, auto s, auto p, auto q, auto w, auto x, auto r, auto z,
                          auto... sums) const {
    const auto alpha = static_cast<Real<S>>(s[kAlpha]);
    NormSoFar<Real<S>> norm, zz;
    by_pieces<S>([&](const auto& piece) {
      piece.store(x, c, axpy(alpha, piece.load(p, c), piece.load(x, c)));
      const auto left = axpy(-alpha, piece.load_gamma5(q, c), piece.load(r, c));
      const auto normal = axpy(-alpha, piece.load(w, c), piece.load(z, c));
      piece.store(r, c, left);
      piece.store(z, c, normal);
      norm.add(left);
      zz.add(normal);
    });
    offer(c, {double(norm.sum), double(zz.sum)}, sums...);
  }
};
struct Conjugate {
  TS_CELL void operator()(double* s, double norm, double zz) const {
    s[kBeta] = zz / s[kRho];
    s[kRho] = zz;
    iterated(s, norm);
  }
};
template <class S>
struct Onward { // p = z + beta p
  TS_CELL void operator()(auto c, auto s, auto z, auto p) const {
    const auto beta = static_cast<Real<S>>(s[kBeta]);
    by_pieces<S>(
        [&](const auto& piece) { piece.store(p, c, axpy(beta, piece.load(p, c), piece.load(z, c))); });
  }
};

template <class S>
class ConjugateGradients final : public Iterated<S> {
  using Base = Iterated<S>;
  using Base::all_, Base::scalars_, Base::r_, Base::x_, Base::odd_, Base::iteration_;

public:
  ConjugateGradients(const Lattice& lattice, const Dirac<S>& dirac, double kappa,
                     const KrylovOptions& options)
      : Base(lattice, options.look_every),
        z_(make_spinors<S>(lattice, "z")),
        p_(make_spinors<S>(lattice, "p")),
        q_(make_spinors<S>(lattice, "q")),
        w_(make_spinors<S>(lattice, "w")),
        norm_(lattice.world(), "|r|^2"),
        zz_(lattice.world(), "|z|^2"),
        qq_(lattice.world(), "|q|^2") {
    const double k2 = -kappa * kappa;
    const auto measured = [&](bool start) {
      return program(
          sweep(Mirror<S>{}, all_, reads(r_), writes(q_), writes(x_)), dirac.hop(1, odd_, q_),
          dirac.combine(0, z_, q_, odd_, k2, true),
          sweep(Measure<S>{start}, all_, reads(r_), reads(z_), updates(p_), reduces(norm_), reduces(zz_)),
          settle(Measured{}, scalars_, norm_, zz_));
    };
    begin_ = measured(true);
    go_on_ = measured(false);
    iteration_ = program(dirac.hop(1, odd_, p_), dirac.combine(q_, p_, odd_, k2, true, qq_),
                         settle(Length{}, scalars_, qq_), dirac.hop(1, odd_, q_),
                         dirac.combine(0, w_, q_, odd_, k2, true),
                         sweep(Descend<S>{}, all_, uses(scalars_), reads(p_), reads(q_), reads(w_),
                               updates(x_), updates(r_), updates(z_), reduces(norm_), reduces(zz_)),
                         settle(Conjugate{}, scalars_, norm_, zz_),
                         sweep(Onward<S>{}, all_, uses(scalars_), reads(z_), updates(p_)));
  }

  void begin() override { run(*begin_); }
  void go_on() override { run(*go_on_); }

private:
  Spinors<S> z_, p_, q_, w_;
  Sum<double> norm_, zz_, qq_;
  std::optional<Program> begin_, go_on_;
};

} // namespace detail

template <class S>
std::unique_ptr<Krylov<S>> make_krylov(const Lattice& lattice, const Dirac<S>& dirac, double kappa,
                                       const KrylovOptions& options) {
  if (options.sums != 2 && options.sums != 3)
    throw Error("a solver with " + std::to_string(options.sums) + " sums an iteration is asked for",
                "use 2 or 3");
  if (options.method == Method::cg)
    return std::make_unique<detail::ConjugateGradients<S>>(lattice, dirac, kappa, options);
  return std::make_unique<detail::BiCGStab<S>>(lattice, dirac, kappa, options);
}

} // namespace tasuki::wilson
