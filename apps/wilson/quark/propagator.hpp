// The propagator of one configuration from one source: twelve solutions of M x = b.
#pragma once

#include <apps/wilson/format/propagator.hpp>
#include <apps/wilson/quark/source.hpp>
#include <apps/wilson/run/results.hpp>
#include <apps/wilson/solver/solver.hpp>

#include <functional>
#include <optional>
#include <vector>

namespace tasuki::wilson {

// Columns in groups that are solved at once, as even as can be: 12 of which 5 fit are 4, 4 and 4.
std::vector<std::vector<int>> groups_of(const std::vector<int>& columns, int most);

class Propagator {
public:
  // The source is made, or it is what `sources` holds: 12 columns, or none. Collective, all of it.
  Propagator(const Gauge& gauge, const Action& action, const SourceShape& shape, Columns sources = {});

  // Sets the solver up, for options.columns at once.
  void prepare(const SolveOptions& options);
  // Solves for some columns at once. done(k, report) is called for each, in their order, with the column in solution():
  // converged or not, it is kept.
  void solve(const std::vector<int>& columns, const std::function<void(int, const SolveReport&)>& done);
  // The same where column k begins at guesses[k]: with no iterations, what is left of a solution that comes from elsewhere.
  void solve(const std::vector<int>& columns, const Columns& guesses,
             const std::function<void(int, const SolveReport&)>& done);
  // The last solution, or what a checkpoint has put there.
  SpinorField& solution() { return x_; }
  void take(int k); // solution() as column k

  const Columns& columns() const { return columns_; } // in site order, on the host
  void forget() { columns_.clear(); }

private:
  const Gauge& gauge_;
  Lattice lattice_;
  Action action_;
  std::optional<Source> source_; // or
  Columns sources_;
  std::optional<Solver> solver_; // once there is something to solve
  SpinorField b_, x_;
  Columns columns_;
};

} // namespace tasuki::wilson
