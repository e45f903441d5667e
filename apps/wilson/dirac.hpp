// The Wilson-Dirac operator on even-odd fields, as sweeps that a program is made of.
//
// With H_eo taking odd sites to even ones, M = 1 - kappa H is solved on even sites alone (Schur):
//   Mhat = 1 - kappa^2 H_eo H_oe,  bhat = b_e + kappa H_eo b_o,  x_o = b_o + kappa H_oe x_e.
// gamma_5 Mhat is Hermitian.
#pragma once

#include <apps/wilson/action.hpp>
#include <apps/wilson/gauge.hpp>
#include <apps/wilson/precision.hpp>

#include <memory>
#include <string>

namespace tasuki::wilson {

// A spinor a site of one parity, stored as S, of which half a spinor travels into a halo: 12 numbers of 24.
template <class S>
using Spinors = Field<typename Stored<S>::Element[Stored<S>::kPlanes]>;
template <class S>
Spinors<S> make_spinors(const Lattice& lattice, const std::string& name);

// Sums that the operator takes while it is applied. (a, b) is the sum of conj(a) b, in two parts.
struct ComplexSum {
  Sum<double> re, im;
  ComplexSum(World& world, const std::string& name) : re(world, name), im(world, name + ", imaginary") {}
};
struct MinimiseSums {
  Sum<double> out_norm, x_norm;
  ComplexSum out_x, w_out, w_x;
  explicit MinimiseSums(World& world)
      : out_norm(world, "|out|^2"),
        x_norm(world, "|x|^2"),
        out_x(world, "(out, x)"),
        w_out(world, "(w, out)"),
        w_x(world, "(w, x)") {}
};

template <class S>
class Dirac {
public:
  virtual ~Dirac() = default;

  // At the sites of a parity: out = H in; `in` of the other parity.
  virtual Sweep hop(int parity, const Spinors<S>& out, const Spinors<S>& in) const = 0;
  // out = x + factor H in, or gamma_5 times that; x of the parity of out.
  virtual Sweep combine(int parity, const Spinors<S>& out, const Spinors<S>& x, const Spinors<S>& in,
                        double factor, bool gamma5 = false) const = 0;
  // The same on even sites, with sums.
  virtual Sweep combine(const Spinors<S>& out, const Spinors<S>& x, const Spinors<S>& in, double factor,
                        bool gamma5, const Sum<double>& norm) const = 0;
  virtual Sweep combine(const Spinors<S>& out, const Spinors<S>& x, const Spinors<S>& in, double factor,
                        const Spinors<S>& w, const ComplexSum& w_out) const = 0;
  virtual Sweep combine(const Spinors<S>& out, const Spinors<S>& x, const Spinors<S>& in, double factor,
                        const Spinors<S>& w, const MinimiseSums& sums) const = 0;
};

// Links of 18, 12 or 8 numbers, copied from `gauge`. Throws Error where they cannot hold what the action asks for:
// phases that are no signs need 18 numbers. Collective.
template <class S>
std::unique_ptr<Dirac<S>> make_dirac(const Gauge& gauge, const Action& action, int numbers);

} // namespace tasuki::wilson
