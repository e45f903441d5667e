// M x = b in double precision as a system for its even sites only, for all columns of a block.
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
  // Copies the links. Throws Error if make_dirac() does. All members are collective.
  EvenOdd(const Gauge& gauge, const Action& action, int columns);

  const Block& block() const { return block_; }
  const Spinors<double>& residual() const { return r_; }    // on even sites, from the last measure()
  const Spinors<double>& solution() const { return x_[0]; } // on even sites; corrections are added to it

  // Sets the right-hand side and the guess of a column; null: 0.
  void put(int column, const SpinorField& b, const SpinorField* guess);
  void get(int column, const SpinorField& x);
  void clear(int column); // sets both to 0

  void prepare();                                                // bhat in place of b_e, which is saved
  void measure() { run(measure_); }                              // r = bhat - Mhat x
  double norm2(int column) const { return norm_.value(column); } // |r|^2 of the last measure()
  void keep(int column) { run(keep_[static_cast<std::size_t>(column)]); } // saves x as the best solution
  void back(int column) { run(back_[static_cast<std::size_t>(column)]); } // restores the best solution
  void complete(); // restores b_e, computes x_o, and M x on all sites for left()

  std::array<std::vector<double>, 2> sizes(); // |b|^2 of each parity, by column
  std::array<std::vector<double>, 2> left();  // |b - M x|^2 of each parity, by column

  // out = M in, with the normalisation of the action. Overwrites what put() has stored.
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
  // Planned once, so that an update of the residual takes only its sweeps.
  Program prepare_, measure_, complete_;
  Program apply_; // a = M x
  std::array<Program, 2> subtract_, square_;
  std::vector<Program> keep_, back_; // by column
};

} // namespace tasuki::wilson
