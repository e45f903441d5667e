// CG on the normal equations (krylov.hpp).
#pragma once

#include <apps/wilson/lattice/pieces.hpp>
#include <apps/wilson/solver/iterated.hpp>

namespace tasuki::wilson::detail {

template <class S>
struct Mirror { // out = gamma_5 r, x = 0
  TS_CELL void operator()(auto c, auto r, auto out, auto x) const {
    store_site<S>(out, c, gamma5(load_site<S>(r, c)));
    store_site<S>(x, c, Spinor<Real<S>>{});
  }
};
template <class S>
struct Measure { // |r|^2 and |z|^2, and p = z for a new search
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
    by_pieces<S, 6>([&](const auto& piece) {
      const auto next = axpy(alpha, piece.load(p, c), piece.load(x, c));
      const auto left = axpy(-alpha, piece.load_gamma5(q, c), piece.load(r, c));
      const auto normal = axpy(-alpha, piece.load(w, c), piece.load(z, c));
      piece.store(unless(rests, x), c, next);
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
    by_pieces<S, 2>([&](const auto& piece) {
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

} // namespace tasuki::wilson::detail
