#include <apps/wilson/propagator.hpp>

namespace tasuki::wilson {

Propagator::Propagator(const Gauge& gauge, const Action& action, const SolveOptions& options,
                       const SourceShape& shape)
    : lattice_(gauge.lattice()),
      source_(gauge, shape),
      solver_(gauge, action, options),
      b_(lattice_, "b"),
      x_(lattice_, "x"),
      columns_(kColumns) {}

SolveReport Propagator::solve(int k) {
  source_.column(k / kColours, k % kColours, b_);
  x_.from_sites(lattice_,
                std::vector<double>(static_cast<std::size_t>(lattice_.owned_sites()) * kSpinorReals));
  const SolveReport report = solver_.solve(x_, b_);
  take(k);
  return report;
}

void Propagator::take(int k) { columns_[static_cast<std::size_t>(k)] = x_.to_sites(lattice_); }

} // namespace tasuki::wilson
