// Solves M x = b: an inner solver in any precision, with corrections from true residuals in double precision.
#pragma once

#include <apps/wilson/lattice/spinor_field.hpp>
#include <apps/wilson/solver/krylov.hpp>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tasuki::wilson {

struct SolveOptions {
  Method method = Method::bicgstab;
  Precision inner = Precision::double_; // of the iterations; residuals and the solution are in double
  int links = 18;                       // numbers per link in the iterations: 18, 12 or 8
  double tolerance = 1e-10;             // of |b - M x| / |b|
  int most_iterations = 10000;
  int most_restarts = 20;
  int sums = 2; // global sums per iteration of BiCGStab, 2 or 3
  // The residual is recomputed after a reduction by this factor; 0: the value for the precision.
  double reliable = 0;
  int columns = 1; // right-hand sides that are solved at once, at most kMostColumns
  // Called after iterations, with the same arguments on every rank: column, iteration, and |r| / |b| by the recurrence.
  // True ends the solve.
  std::function<bool(int, int, double)> look = {};
};

struct SolveReport {
  bool converged = false;
  std::string why; // one clause, if it has not converged
  int iterations = 0;
  int updates = 0;     // recomputed residuals
  int restarts = 0;    // new searches, after breakdowns and without progress
  double residual = 0; // |b - M x| / |b| of the full operator, in double precision, for the returned x
  // Of the iterations; columns that are solved together share the time. 6336 flop per even site for BiCGStab, 5280 of
  // them for hops.
  double seconds = 0, flops = 0;
  std::vector<double> history; // |r| / |b| by the recurrence, after each iteration
};

// Several right-hand sides are solved together, so that links are read only once for all of them, and they share global
// sums and launches. The result of each has the same bits, whatever other columns there are.
class Solver {
public:
  // Copies the links: later changes of the gauge field have no effect. Throws Error if make_dirac() does. Collective.
  Solver(const Gauge& gauge, const Action& action, const SolveOptions& options);
  ~Solver();
  Solver(Solver&&) noexcept;

  int columns() const; // the largest number at once

  // Right-hand side and guess of a column, for several columns: put() each, solve(), get() each. Columns count from 0.
  void put(int column, const SpinorField& b, const SpinorField& guess);
  void put(int column, const SpinorField& b); // with the guess 0
  // Solves the columns of all put() calls since the last solve(). Returns a report for each of columns(). The solution
  // is the best one found, also without convergence. Throws Error if a right-hand side is not finite.
  // Collective.
  std::vector<SolveReport> solve();
  void get(int column, const SpinorField& x);

  // For one column: x is the guess at first, and then the solution.
  SolveReport solve(const SpinorField& x, const SpinorField& b);

  // out = M in, with the normalisation of the action. Overwrites what put() has stored.
  void apply(const SpinorField& out, const SpinorField& in);

private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

} // namespace tasuki::wilson
