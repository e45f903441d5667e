#include <apps/wilson/quark/propagator.hpp>

namespace tasuki::wilson {

std::vector<std::vector<int>> groups_of(const std::vector<int>& columns, int most) {
  const int all = static_cast<int>(columns.size()), groups = (all + most - 1) / most;
  std::vector<std::vector<int>> list;
  for (int g = 0; g < groups; ++g)
    list.emplace_back(columns.begin() + all * g / groups, columns.begin() + all * (g + 1) / groups);
  return list;
}

Propagator::Propagator(const Gauge& gauge, const Action& action, const SourceShape& shape, Columns sources)
    : gauge_(gauge),
      lattice_(gauge.lattice()),
      action_(action),
      sources_(std::move(sources)),
      b_(lattice_, "b"),
      x_(lattice_, "x"),
      columns_(kColumns) {
  if (sources_.empty()) source_.emplace(gauge, shape);
}

void Propagator::prepare(const SolveOptions& options) { solver_.emplace(gauge_, action_, options); }

void Propagator::solve(const std::vector<int>& columns,
                       const std::function<void(int, const SolveReport&)>& done) {
  solve(columns, {}, done);
}

void Propagator::solve(const std::vector<int>& columns, const Columns& guesses,
                       const std::function<void(int, const SolveReport&)>& done) {
  for (std::size_t at = 0; at < columns.size(); ++at) {
    const int k = columns[at];
    if (source_)
      source_->column(k / kColours, k % kColours, b_);
    else
      b_.from_sites(lattice_, sources_[static_cast<std::size_t>(k)]);
    if (guesses.empty()) {
      solver_->put(static_cast<int>(at), b_);
    } else {
      x_.from_sites(lattice_, guesses[static_cast<std::size_t>(k)]);
      solver_->put(static_cast<int>(at), b_, x_);
    }
  }
  const std::vector<SolveReport> reports = solver_->solve();
  for (std::size_t at = 0; at < columns.size(); ++at) {
    solver_->get(static_cast<int>(at), x_);
    take(columns[at]);
    done(columns[at], reports[at]);
  }
}

void Propagator::take(int k) { columns_[static_cast<std::size_t>(k)] = x_.to_sites(lattice_); }

} // namespace tasuki::wilson
