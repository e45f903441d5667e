// The Wilson-Dirac operator on even-odd fields, as sweeps that a program is made of.
//
// With H_eo taking odd sites to even ones, M = 1 - kappa H is solved on even sites alone (Schur):
//   Mhat = 1 - kappa^2 H_eo H_oe,  bhat = b_e + kappa H_eo b_o,  x_o = b_o + kappa H_oe x_e.
// gamma_5 Mhat is Hermitian.
#pragma once

#include <apps/wilson/gauge/gauge.hpp>
#include <apps/wilson/operator/action.hpp>
#include <apps/wilson/operator/precision.hpp>
#include <apps/wilson/solver/column_sums.hpp>

#include <memory>
#include <string>

namespace tasuki::wilson {

// A spinor a site of one parity and column, stored as S, of which half a spinor travels into a halo: 12 numbers of 24.
template <class S>
using Spinors = Field<typename Stored<S>::Element[Stored<S>::kPlanes]>;
template <class S>
Spinors<S> make_spinors(const Block& block, const std::string& name);

// Sums that the operator takes while it is applied. (a, b) is the sum of conj(a) b, in two parts.
template <class S>
using NormSum = ColumnSums<Real<S>, 1>; // |out|^2
template <class S>
using ProjectSums = ColumnSums<Real<S>, 2>; // (w, out)
template <class S>
using MinimiseSums = ColumnSums<Real<S>, 8>; // |out|^2, |x|^2, (out, x), (w, out), (w, x)

// Every column by itself, with the same links.
template <class S>
class Dirac {
public:
  virtual ~Dirac() = default;

  // At the sites of a parity: out = H in; `in` of the other parity.
  virtual Sweep hop(int parity, const Spinors<S>& out, const Spinors<S>& in) const = 0;
  // out = x + factor H in, or gamma_5 times that; x of the parity of out.
  virtual Sweep combine(int parity, const Spinors<S>& out, const Spinors<S>& x, const Spinors<S>& in,
                        double factor, bool gamma5 = false) const = 0;
  // The same on even sites, which offers what the sums take: they have to be added up after it.
  virtual Sweep combine(const Spinors<S>& out, const Spinors<S>& x, const Spinors<S>& in, double factor,
                        bool gamma5, const NormSum<S>& norm) const = 0;
  virtual Sweep combine(const Spinors<S>& out, const Spinors<S>& x, const Spinors<S>& in, double factor,
                        const Spinors<S>& w, const ProjectSums<S>& w_out) const = 0;
  virtual Sweep combine(const Spinors<S>& out, const Spinors<S>& x, const Spinors<S>& in, double factor,
                        const Spinors<S>& w, const MinimiseSums<S>& sums) const = 0;
};

// Links of 18, 12 or 8 numbers, copied from `gauge`. Throws Error where they cannot hold what the action asks for:
// phases that are no signs need 18 numbers. Its sweeps are over blocks of the gauge field's lattice and hold its links: no
// longer than it lives. Collective.
template <class S>
std::unique_ptr<Dirac<S>> make_dirac(const Gauge& gauge, const Action& action, int numbers);

} // namespace tasuki::wilson
