// The propagator of one configuration for one source: twelve solutions of M x = b.
#pragma once

#include <apps/wilson/format/propagator.hpp>
#include <apps/wilson/quark/source.hpp>
#include <apps/wilson/run/results.hpp>
#include <apps/wilson/solver/solver.hpp>

#include <functional>
#include <optional>
#include <vector>

namespace tasuki::wilson {

// Divides columns into groups that are solved together, as evenly as possible: 12 with at most 5 are 4, 4 and 4.
std::vector<std::vector<int>> groups_of(const std::vector<int>& columns, int most);

class Propagator {
public:
  // Creates the source, unless `sources` has its 12 columns. All members are collective.
  Propagator(const Gauge& gauge, const Action& action, const SourceShape& shape, Columns sources = {});

  // Sets the solver up for options.columns columns at once.
  void prepare(const SolveOptions& options);
  // Solves several columns at once. done(k, report) is called for each, in order, with the column in solution(), also
  // if it has not converged.
  void solve(const std::vector<int>& columns, const std::function<void(int, const SolveReport&)>& done);
  // The same with initial guesses guesses[k]; with 0 iterations it computes the residual of a given solution.
  void solve(const std::vector<int>& columns, const Columns& guesses,
             const std::function<void(int, const SolveReport&)>& done);
  // The last solution, or one that was loaded from a checkpoint.
  SpinorField& solution() { return x_; }
  void take(int k); // stores solution() as column k

  const Columns& columns() const { return columns_; } // in site order, on the host
  void forget() { columns_.clear(); }

private:
  const Gauge& gauge_;
  Lattice lattice_;
  Action action_;
  std::optional<Source> source_; // or
  Columns sources_;
  std::optional<Solver> solver_; // set up before the first solve
  SpinorField b_, x_;
  Columns columns_;
};

} // namespace tasuki::wilson
