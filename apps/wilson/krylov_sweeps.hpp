// The inner solvers for one way to store numbers. Included by one source for each, compiled for every device.
#pragma once

#include <apps/wilson/krylov.hpp>
#include <apps/wilson/pieces.hpp>

#include <algorithm>
#include <cmath>

namespace tasuki::wilson {
namespace detail {

inline constexpr int kKept = 16; // of the last iterations' |r|^2
// Scalars of an iteration, of each column. A complex number takes two places.
enum Slot {
  kRho,
  kAlpha = 2,
  kOmega = 4,
  kBeta = 6,
  kNorm = 8,
  kIterations,
  kBroken,
  kMost,
  kBound,
  kAnew,
  kGoes,  // the goal is not reached
  kRests, // nor goes it in this iteration
  kHistory,
  kSlots = kHistory + kKept
};
using BlockScalars = Scalars<kSlots * kMostColumns>;

TS_HD Complex<double> get(const double* s, int slot) { return {s[slot], s[slot + 1]}; }
TS_HD void put(double* s, int slot, Complex<double> z) {
  s[slot] = z.re;
  s[slot + 1] = z.im;
}
// The scalars of the column that a cell belongs to.
struct ColumnScalars {
  const double* s;
  TS_HD ColumnScalars(const ScalarsView& all, const Cell<kBlockAxes>& c) : s(all.p + column_of(c) * kSlots) {}
  TS_HD double operator[](int slot) const { return s[slot]; }
  template <class R>
  TS_HD Complex<R> factor(int slot) const {
    return {static_cast<R>(s[slot]), static_cast<R>(s[slot + 1])};
  }
};
TS_HD Complex<double> over(Complex<double> a, Complex<double> b) { return (1 / norm2(b)) * (a * conj(b)); }
// Whether a number can be divided by. Nothing smaller comes of sums of squares that are not 0.
TS_HD bool some(double size) { return size > 1e-290 && size < 1e290; }
TS_HD bool finite(double x) { return x - x == 0; }

TS_HD void begun(double* s, double norm) {
  s[kNorm] = norm;
  s[kGoes] = s[kMost] > 0 && norm >= s[kBound] && finite(norm);
}
TS_HD void iterated(double* s, double norm) {
  if (s[kRests] != 0) return;
  s[kNorm] = norm;
  s[kHistory + static_cast<int>(s[kIterations]) % kKept] = norm;
  s[kIterations] += 1;
  s[kGoes] = s[kIterations] < s[kMost] && norm >= s[kBound] && finite(norm) && s[kBroken] == 0;
}

// A field that is written in some cells alone, and stays as it is in others.
template <class Planes>
struct Unless {
  Planes planes;
  bool stays;

  template <class E>
  struct Number {
    E& number;
    bool stays;
    TS_HD void operator=(E value) const { number = stays ? number : value; }
  };
  template <class View>
  struct Plane {
    View view;
    bool stays;
    TS_HD auto operator()(const auto& c) const {
      return Number<std::remove_reference_t<decltype(view(c))>>{view(c), stays};
    }
  };
  TS_HD auto operator[](int k) const { return Plane<decltype(planes[k])>{planes[k], stays}; }
};
template <class Planes>
TS_HD Unless<Planes> unless(bool stays, const Planes& planes) {
  return {planes, stays};
}

// What both solvers are: a program of an iteration, done until the scalars say that it is enough.
template <class S>
class Iterated : public Krylov<S> {
public:
  const Spinors<S>& residual() const override { return r_; }
  const Spinors<S>& solution() const override { return x_; }

  std::vector<Stretch> advance(const std::vector<Goal>& goals,
                               const std::function<bool(int, double)>& each) override {
    const std::size_t columns = goals.size();
    auto s = scalars_.value();
    int most = 0;
    for (std::size_t k = 0; k < columns; ++k) {
      double* const mine = &s[k * kSlots];
      mine[kMost] = goals[k].most;
      mine[kBound] = goals[k].bound;
      mine[kAnew] = goals[k].anew;
      mine[kIterations] = mine[kBroken] = 0;
      most = std::max(most, goals[k].most);
    }
    scalars_.set(s);
    run(*begin_);

    std::vector<Stretch> stretches(columns);
    std::vector<int> seen(columns);
    bool enough = false;
    const auto look = [&] {
      s = scalars_.value();
      bool goes = false;
      for (std::size_t k = 0; k < columns; ++k) {
        const double* const mine = &s[k * kSlots];
        const int done = static_cast<int>(mine[kIterations]);
        for (; seen[k] < done; ++seen[k])
          enough = each(static_cast<int>(k), mine[kHistory + seen[k] % kKept]) || enough;
        goes = goes || mine[kGoes] != 0;
        stretches[k] = {done, mine[kNorm],
                        goals[k].most > 0 && (mine[kBroken] != 0 || !std::isfinite(mine[kNorm])), false};
      }
      return enough || !goes;
    };
    if (look()) return stretches;
    const RunReport report = run(*iteration_, {.times = most, .until = {look, look_every_}});
    if (!report.reached) look();
    for (Stretch& stretch : stretches) stretch.interrupted = report.interrupted;
    return stretches;
  }

protected:
  Iterated(const Block& block, int look_every)
      : all_(block.all()),
        scalars_(block.world(), "solver"),
        r_(make_spinors<S>(block, "r")),
        x_(make_spinors<S>(block, "x")),
        odd_(make_spinors<S>(block, "odd")),
        look_every_(std::clamp(look_every, 1, kKept)) {}

  Region<kBlockAxes> all_;
  BlockScalars scalars_;
  Spinors<S> r_, x_, odd_;
  std::optional<Program> begin_, iteration_;

private:
  int look_every_;
};

// ---- BiCGStab

template <class S>
struct Begin { // r0 = p = r where it is begun anew, and x = 0
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
    by_pieces<S>(
        [&](const auto& piece) { piece.store(r, c, axpy(-alpha, piece.load(v, c), piece.load(r, c))); });
  }
};
// omega = (t, s) / |t|^2, and what follows from it. A column that rests has rho and beta of when it went.
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
  TS_CELL void operator()(auto c, auto all, auto t, auto v, auto x, auto r, auto p) const {
    using R = Real<S>;
    const ColumnScalars s(all, c);
    const bool rests = s[kRests] != 0;
    const auto alpha = s.template factor<R>(kAlpha), omega = s.template factor<R>(kOmega),
               beta = s.template factor<R>(kBeta);
    by_pieces<S>([&](const auto& piece) {
      const auto from = piece.load(r, c), along = piece.load(p, c);
      piece.store(unless(rests, x), c, axpy(omega, from, axpy(alpha, along, piece.load(x, c))));
      const auto left = axpy(-omega, piece.load(t, c), from);
      piece.store(r, c, left);
      piece.store(unless(rests, p), c, axpy(beta, axpy(-omega, piece.load(v, c), along), left));
    });
  }
};
template <class S>
struct StepAndSum { // the same but for p, and what beta takes
  TS_CELL void operator()(auto c, auto all, auto t, auto p, auto r0, auto x, auto r, auto offers) const {
    using R = Real<S>;
    const ColumnScalars s(all, c);
    const auto alpha = s.template factor<R>(kAlpha), omega = s.template factor<R>(kOmega);
    const bool rests = s[kRests] != 0;
    NormSoFar<R> norm;
    InnerSoFar<R> rho;
    by_pieces<S>([&](const auto& piece) {
      const auto from = piece.load(r, c);
      piece.store(unless(rests, x), c, axpy(omega, from, axpy(alpha, piece.load(p, c), piece.load(x, c))));
      const auto left = axpy(-omega, piece.load(t, c), from);
      piece.store(r, c, left);
      norm.add(left);
      rho.add(piece.load(r0, c), left);
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
    by_pieces<S>([&](const auto& piece) {
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
    const Items search =
        joined({items(dirac.hop(1, odd_, p_)), items(dirac.combine(v_, p_, odd_, k2, r0_, r0v_)),
                r0v_.template settle<kSlots>(Alpha{}, scalars_),
                items(sweep(Shorten<S>{}, all_, uses(scalars_), reads(v_), updates(r_))),
                items(dirac.hop(1, odd_, r_)), items(dirac.combine(t_, r_, odd_, k2, r0_, sums_))});
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

// ---- CG

template <class S>
struct Mirror { // out = gamma_5 r, x = 0
  TS_CELL void operator()(auto c, auto r, auto out, auto x) const {
    store_site<S>(out, c, gamma5(load_site<S>(r, c)));
    store_site<S>(x, c, Spinor<Real<S>>{});
  }
};
template <class S>
struct Measure { // |r|^2 and |z|^2, and p = z where it is begun anew
  TS_CELL void operator()(auto c, auto all, auto r, auto z, auto p, auto offers) const {
    const auto from = load_site<S>(z, c);
    store_site<S>(unless(ColumnScalars(all, c)[kAnew] == 0, p), c, from);
    put_offers<Real<S>>(c, {norm2(load_site<S>(r, c)), norm2(from)}, offers);
  }
};
struct Measured {
  TS_CELL void operator()(double* s, double norm, double zz) const {
    put(s, kRho, {zz, 0});
    begun(s, norm);
  }
};
struct Length { // alpha = |z|^2 / |Q p|^2
  TS_CELL void operator()(double* s, double qq) const {
    s[kRests] = s[kGoes] == 0;
    const bool sound = some(qq) && some(s[kRho]);
    if (!sound && s[kRests] == 0) s[kBroken] = 1;
    s[kAlpha] = sound && s[kRests] == 0 ? s[kRho] / qq : 0;
  }
};
template <class S>
struct Descend { // x += alpha p, r -= alpha gamma_5 q, z -= alpha w
  TS_CELL void operator()(auto c, auto all, auto p, auto q, auto w, auto x, auto r, auto z,
                          auto... offers) const {
    const ColumnScalars s(all, c);
    const auto alpha = static_cast<Real<S>>(s[kAlpha]);
    const bool rests = s[kRests] != 0;
    NormSoFar<Real<S>> norm, zz;
    by_pieces<S>([&](const auto& piece) {
      piece.store(unless(rests, x), c, axpy(alpha, piece.load(p, c), piece.load(x, c)));
      const auto left = axpy(-alpha, piece.load_gamma5(q, c), piece.load(r, c));
      const auto normal = axpy(-alpha, piece.load(w, c), piece.load(z, c));
      piece.store(r, c, left);
      piece.store(z, c, normal);
      norm.add(left);
      zz.add(normal);
    });
    (put_offers<Real<S>>(c, {norm.sum, zz.sum}, offers), ...);
  }
};
struct Conjugate {
  TS_CELL void operator()(double* s, double norm, double zz) const {
    if (s[kRests] != 0) return;
    s[kBeta] = zz / s[kRho];
    s[kRho] = zz;
    iterated(s, norm);
  }
};
template <class S>
struct Onward { // p = z + beta p
  TS_CELL void operator()(auto c, auto all, auto z, auto p) const {
    const ColumnScalars s(all, c);
    const bool rests = s[kRests] != 0;
    const auto beta = static_cast<Real<S>>(s[kBeta]);
    by_pieces<S>([&](const auto& piece) {
      piece.store(unless(rests, p), c, axpy(beta, piece.load(p, c), piece.load(z, c)));
    });
  }
};

template <class S>
class ConjugateGradients final : public Iterated<S> {
  using Base = Iterated<S>;
  using Base::all_, Base::scalars_, Base::r_, Base::x_, Base::odd_, Base::begin_, Base::iteration_;

public:
  ConjugateGradients(const Block& block, const Dirac<S>& dirac, double kappa, const KrylovOptions& options)
      : Base(block, options.look_every),
        z_(make_spinors<S>(block, "z")),
        p_(make_spinors<S>(block, "p")),
        q_(make_spinors<S>(block, "q")),
        w_(make_spinors<S>(block, "w")),
        norms_(block, "|r|^2, |z|^2"),
        qq_(block, "|q|^2") {
    const double k2 = -kappa * kappa;
    begin_ = program(
        sweep(Mirror<S>{}, all_, reads(r_), writes(q_), writes(x_)), dirac.hop(1, odd_, q_),
        dirac.combine(0, z_, q_, odd_, k2, true),
        sweep(Measure<S>{}, all_, uses(scalars_), reads(r_), reads(z_), updates(p_), writes(norms_.offers())),
        norms_.template settle<kSlots>(Measured{}, scalars_));
    iteration_ = program(dirac.hop(1, odd_, p_), dirac.combine(q_, p_, odd_, k2, true, qq_),
                         qq_.template settle<kSlots>(Length{}, scalars_), dirac.hop(1, odd_, q_),
                         dirac.combine(0, w_, q_, odd_, k2, true),
                         sweep(Descend<S>{}, all_, uses(scalars_), reads(p_), reads(q_), reads(w_),
                               updates(x_), updates(r_), updates(z_), writes(norms_.offers())),
                         norms_.template settle<kSlots>(Conjugate{}, scalars_),
                         sweep(Onward<S>{}, all_, uses(scalars_), reads(z_), updates(p_)));
  }

private:
  Spinors<S> z_, p_, q_, w_;
  ColumnSums<Real<S>, 2> norms_;
  NormSum<S> qq_;
};

} // namespace detail

template <class S>
std::unique_ptr<Krylov<S>> make_krylov(const Block& block, const Dirac<S>& dirac, double kappa,
                                       const KrylovOptions& options) {
  if (options.sums != 2 && options.sums != 3)
    throw Error("a solver with " + std::to_string(options.sums) + " sums an iteration is asked for",
                "use 2 or 3");
  if (block.columns() > kMostColumns)
    throw Error("a solver of " + std::to_string(block.columns()) + " columns at once is asked for",
                "use " + std::to_string(kMostColumns) + " or fewer");
  if (options.method == Method::cg)
    return std::make_unique<detail::ConjugateGradients<S>>(block, dirac, kappa, options);
  return std::make_unique<detail::BiCGStab<S>>(block, dirac, kappa, options);
}

} // namespace tasuki::wilson
