// Solves M x = b: an inner solver in any precision, corrected by true residuals in double.
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
  int links = 18;                       // numbers of a link in the iterations: 18, 12 or 8
  double tolerance = 1e-10;             // of |b - M x| / |b|
  int most_iterations = 10000;
  int most_restarts = 20;
  int sums = 2; // that an iteration of BiCGStab waits for, 2 or 3
  // The residual is worked out anew where it has fallen by this; 0: as the precision wants it.
  double reliable = 0;
  int columns = 1; // right-hand sides that are solved at once, kMostColumns at most
  // Called after iterations, on every rank the same: of which column, which one, and |r| / |b| as the recurrence has it.
  // True ends the solve.
  std::function<bool(int, int, double)> look = {};
};

struct SolveReport {
  bool converged = false;
  std::string why; // where it has not: one clause
  int iterations = 0;
  int updates = 0;     // residuals worked out anew
  int restarts = 0;    // after breakdowns, and where nothing moved
  double residual = 0; // |b - M x| / |b| of the whole operator, in double, of the x that is returned
  // Of the iterations, time shared by those that went on together: 6336 flop an even site for BiCGStab, of which 5280 are
  // hops.
  double seconds = 0, flops = 0;
  std::vector<double> history; // |r| / |b| after each iteration, as the recurrence has it
};

// Several right-hand sides go on together, so that links are read once for all of them, and sums and launches are waited for
// once. Each goes its own way: what comes of one has the same bits whatever stands beside it.
class Solver {
public:
  // Copies the links: changes of the gauge field after this are not seen. Throws Error as make_dirac() does. Collective.
  Solver(const Gauge& gauge, const Action& action, const SolveOptions& options);
  ~Solver();
  Solver(Solver&&) noexcept;

  int columns() const; // that it has room for

  // Right-hand side and guess of a column, solved for with others: put() each, solve(), get() each. Columns from 0 on.
  void put(int column, const SpinorField& b, const SpinorField& guess);
  void put(int column, const SpinorField& b); // guess 0
  // Those that were put since the last call; a report for each column that there is room for. Afterwards there is the best
  // solution that was seen, also where the solve did not converge. Throws Error where a right-hand side is not finite.
  // Collective.
  std::vector<SolveReport> solve();
  void get(int column, const SpinorField& x);

  // One: x is the guess before, and the solution after it.
  SolveReport solve(const SpinorField& x, const SpinorField& b);

  // out = M in, in the normalisation of the action. What was put is lost.
  void apply(const SpinorField& out, const SpinorField& in);

private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

} // namespace tasuki::wilson
