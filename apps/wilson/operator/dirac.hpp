// The Wilson-Dirac operator on even-odd fields, as sweeps for programs.
//
// H_eo maps odd sites to even ones. M = 1 - kappa H is solved on even sites only (Schur complement):
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

// A spinor per site of one parity and per column, stored as S. Half a spinor travels into a halo: 12 of 24 numbers.
template <class S>
using Spinors = Field<typename Stored<S>::Element[Stored<S>::kPlanes]>;
template <class S>
Spinors<S> make_spinors(const Block& block, const std::string& name);

// Sums that are computed while the operator is applied. (a, b) is the sum of conj(a) b, as two reals.
template <class S>
using NormSum = ColumnSums<Real<S>, 1>; // |out|^2
template <class S>
using ProjectSums = ColumnSums<Real<S>, 2>; // (w, out)
template <class S>
using MinimiseSums = ColumnSums<Real<S>, 8>; // |out|^2, |x|^2, (out, x), (w, out), (w, x)

// Applies to every column separately, with the same links.
template <class S>
class Dirac {
public:
  virtual ~Dirac() = default;

  // At the sites of a parity: out = H in; `in` has the other parity.
  virtual Sweep hop(int parity, const Spinors<S>& out, const Spinors<S>& in) const = 0;
  // out = x + factor H in, or gamma_5 times that; x has the parity of out.
  virtual Sweep combine(int parity, const Spinors<S>& out, const Spinors<S>& x, const Spinors<S>& in,
                        double factor, bool gamma5 = false) const = 0;
  // The same on even sites, with contributions to the sums, which must be added up by further sweeps.
  virtual Sweep combine(const Spinors<S>& out, const Spinors<S>& x, const Spinors<S>& in, double factor,
                        bool gamma5, const NormSum<S>& norm) const = 0;
  virtual Sweep combine(const Spinors<S>& out, const Spinors<S>& x, const Spinors<S>& in, double factor,
                        const Spinors<S>& w, const ProjectSums<S>& w_out) const = 0;
  virtual Sweep combine(const Spinors<S>& out, const Spinors<S>& x, const Spinors<S>& in, double factor,
                        const Spinors<S>& w, const MinimiseSums<S>& sums) const = 0;
};

// With links of 18, 12 or 8 numbers, copied from `gauge`. Throws Error if they cannot represent the action: phase
// factors other than 1 and -1 need 18. Its sweeps are over blocks of the gauge field's lattice, and must not be used
// after its end. Collective.
template <class S>
std::unique_ptr<Dirac<S>> make_dirac(const Gauge& gauge, const Action& action, int numbers);

} // namespace tasuki::wilson
