// M x = b in double precision as a system of its even sites alone, of all columns of a block.
//
//   bhat = b_e + kappa H_eo b_o,  Mhat = 1 - kappa^2 H_eo H_oe,  Mhat x_e = bhat,  x_o = b_o + kappa H_oe x_e
#pragma once

#include <apps/wilson/lattice/spinor_field.hpp>
#include <apps/wilson/operator/dirac.hpp>
#include <apps/wilson/solver/column_sums.hpp>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace tasuki::wilson {

class EvenOdd {
public:
  // Copies the links. Throws Error as make_dirac() does. Collective, as is all that follows.
  EvenOdd(const Gauge& gauge, const Action& action, int columns);

  const Block& block() const { return block_; }
  const Spinors<double>& residual() const { return r_; }    // of even sites, as measure() left it
  const Spinors<double>& solution() const { return x_[0]; } // likewise: corrections are added to it

  // Right-hand side and guess of a column; no guess: 0.
  void put(int column, const SpinorField& b, const SpinorField* guess);
  void get(int column, const SpinorField& x);
  void clear(int column); // both are 0

  void prepare();                                                // bhat in the place of b_e, which is kept
  void measure() { run(measure_); }                              // r = bhat - Mhat x
  double norm2(int column) const { return norm_.value(column); } // |r|^2 of what was measured last
  void keep(int column) { run(keep_[static_cast<std::size_t>(column)]); } // x as the best
  void back(int column) { run(back_[static_cast<std::size_t>(column)]); } // the best as x
  void complete(); // b_e as given, x_o, and M x of the whole, for left()

  std::array<std::vector<double>, 2> sizes(); // |b|^2 of each parity, by column
  std::array<std::vector<double>, 2> left();  // |b - M x|^2 likewise

  // out = M in, in the normalisation of the action. What was put is lost.
  void apply(const SpinorField& out, const SpinorField& in);

private:
  double scale() const { return action_.norm == Norm::mass ? 2 * action_.kappa : 1; }
  Spinors<double> spinors(const std::string& name);
  Sweep copy(const Spinors<double>& to, const Spinors<double>& from, const Region<kBlockAxes>& where);
  Items subtract(std::size_t p);
  Items square(std::size_t p);
  void put(const Spinors<double>& to, int column, const SpinorPlanes& from, double factor);
  void get(const Spinors<double>& from, int column, SpinorPlanes to, double factor);
  std::vector<double> norms() const;

  Action action_;
  Block block_;
  std::unique_ptr<Dirac<double>> dirac_;
  std::array<Spinors<double>, 2> b_, x_, a_;
  Spinors<double> r_, best_, kept_;
  ColumnSums<double, 1> norm_;
  // Planned once: an update of the residual is then no more than its sweeps.
  Program prepare_, measure_, complete_;
  Program apply_; // a = M x
  std::array<Program, 2> subtract_, square_;
  std::vector<Program> keep_, back_; // by column
};

} // namespace tasuki::wilson
