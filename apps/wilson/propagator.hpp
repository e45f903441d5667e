// The propagator of one configuration from one source: twelve solutions of M x = b.
#pragma once

#include <apps/wilson/format/propagator.hpp>
#include <apps/wilson/results.hpp>
#include <apps/wilson/solver.hpp>
#include <apps/wilson/source.hpp>

namespace tasuki::wilson {

class Propagator {
public:
  // The source is made and the solver set up. Collective, all of it.
  Propagator(const Gauge& gauge, const Action& action, const SolveOptions& options, const SourceShape& shape);

  // Solves for column k and keeps the solution, converged or not.
  SolveReport solve(int k);
  // The last solution, or what a checkpoint has put there.
  SpinorField& solution() { return x_; }
  void take(int k); // solution() as column k

  const Columns& columns() const { return columns_; } // in site order, on the host
  void forget() { columns_.clear(); }

private:
  Lattice lattice_;
  Source source_;
  Solver solver_;
  SpinorField b_, x_;
  Columns columns_;
};

} // namespace tasuki::wilson
