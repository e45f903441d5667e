#include <apps/wilson/solver/solver.hpp>

#include <apps/wilson/solver/cost.hpp>
#include <apps/wilson/solver/even_odd.hpp>
#include <apps/wilson/solver/inner_solver.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace tasuki::wilson {
namespace {

double reliable_of(Precision inner) {
  switch (inner) {
    case Precision::half: return 0.1;
    case Precision::single: return 1e-3;
    default: return 1e-9;
  }
}

constexpr int kIdle = 3; // updates without progress before a new search

} // namespace

// The state of the columns: which are still being solved, and the reaction to a lack of progress.
class Solver::Parts {
public:
  Parts(const Gauge& gauge, const Action& action, const SolveOptions& options)
      : options_(options),
        system_(gauge, action, options.columns),
        states_(static_cast<std::size_t>(options.columns)) {
    if (!(options.tolerance > 0))
      throw Error("a tolerance of 0 or below is never met", "use one above 0, such as 1e-10");
    if (options_.reliable == 0) options_.reliable = reliable_of(options.inner);
    inner_ = make_inner(gauge, action, options_, system_.block(), system_.residual(), system_.solution());
  }

  int columns() const { return system_.block().columns(); }

  void put(int column, const SpinorField& b, const SpinorField* guess) {
    State& state = states_.at(static_cast<std::size_t>(column));
    state = {};
    state.asked = true;
    system_.put(column, b, guess);
  }
  void get(int column, const SpinorField& x) { system_.get(column, x); }

  std::vector<SolveReport> solve() {
    begin();
    system_.prepare();
    iterate();
    system_.complete();
    finish();
    std::vector<SolveReport> reports;
    for (State& state : states_) {
      reports.push_back(std::move(state.report));
      state = {};
    }
    return reports;
  }

  void apply(const SpinorField& out, const SpinorField& in) { system_.apply(out, in); }

private:
  // The state of a column.
  struct State {
    bool asked = false, goes = false, anew = true;
    double size = 0, length = 0, least = 0; // |b|, |r|, and |r| of the best x
    int idle = 0;                           // updates without progress
    SolveReport report;
  };

  template <class F>
  void each(const F& f) { // for the columns that are being solved
    for (int k = 0; k < columns(); ++k)
      if (State& state = states_[static_cast<std::size_t>(k)]; state.goes) f(k, state);
  }

  void begin();
  void measure();
  void iterate();
  bool stays(State& state);
  void finish();

  SolveOptions options_;
  EvenOdd system_;
  std::vector<State> states_;
  std::unique_ptr<Inner> inner_;
};

void Solver::Parts::begin() {
  const auto sizes = system_.sizes();
  for (int k = 0; k < columns(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    State& state = states_[at];
    state.size = std::sqrt(sizes[0][at] + sizes[1][at]);
    if (state.asked && !std::isfinite(state.size))
      throw Error("the right-hand side holds what is not a number", "look at the source");
    state.goes = state.asked && state.size != 0;
    if (state.goes) continue;
    state.size = 0;
    state.report.converged = true;
    system_.clear(k);
  }
}

void Solver::Parts::measure() {
  system_.measure();
  each([&](int k, State& state) { state.length = std::sqrt(system_.norm2(k)); });
}

// Whether a column has converged, or is given up.
bool Solver::Parts::stays(State& state) {
  SolveReport& report = state.report;
  report.converged = state.length <= options_.tolerance * state.size;
  if (report.converged) report.why.clear();
  if (report.converged || !report.why.empty()) return true;
  if (report.iterations >= options_.most_iterations)
    report.why = "not after " + std::to_string(report.iterations) + " iterations";
  else if (report.restarts > options_.most_restarts)
    report.why = "no progress after " + std::to_string(options_.most_restarts) +
                 " restarts: the operator may have a zero mode at this kappa";
  return !report.why.empty();
}

// On even sites, which have the whole residual: x_o makes that of odd sites 0. If a correction increases the residual,
// the best x is restored.
void Solver::Parts::iterate() {
  const auto leave = [this] { // for columns that are finished
    each([this](int k, State& state) {
      if (!stays(state)) return;
      state.goes = false;
      if (!state.report.converged) system_.back(k);
    });
    return std::none_of(states_.begin(), states_.end(), [](const State& state) { return state.goes; });
  };
  measure();
  each([this](int k, State& state) {
    state.least = state.length;
    system_.keep(k);
  });
  bool stopped = false;
  const auto look = [&](int k, double norm2) {
    State& state = states_[static_cast<std::size_t>(k)];
    std::vector<double>& history = state.report.history;
    history.push_back(std::sqrt(norm2) / state.size);
    stopped =
        stopped || (options_.look && options_.look(k, static_cast<int>(history.size()), history.back()));
    return stopped;
  };
  while (!leave()) {
    std::vector<Goal> goals(states_.size());
    int going = 0;
    each([&](int k, State& state) {
      const double bound = std::max(0.7 * options_.tolerance * state.size, options_.reliable * state.length);
      goals[static_cast<std::size_t>(k)] = {options_.most_iterations - state.report.iterations, bound * bound,
                                            state.anew};
      ++going;
    });
    const auto start = std::chrono::steady_clock::now();
    const std::vector<Stretch> stretches = inner_->advance(goals, look);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    bool again = false;
    const auto before = [&] {
      std::vector<double> lengths;
      for (const State& state : states_) lengths.push_back(state.length);
      return lengths;
    }();
    measure();
    each([&](int k, State& state) {
      const auto at = static_cast<std::size_t>(k);
      state.report.iterations += stretches[at].iterations;
      state.report.seconds += seconds / going;
      ++state.report.updates;
      if (state.length < state.least) {
        state.least = state.length;
        system_.keep(k);
      }
      if (stopped || stretches[at].interrupted) {
        state.report.why = "it was stopped";
        return;
      }
      state.idle = state.length < 0.9 * before[at] ? 0 : state.idle + 1;
      state.anew = stretches[at].broke_down || !std::isfinite(state.length) || state.idle >= kIdle;
      if (!state.anew) return;
      ++state.report.restarts;
      state.idle = 0;
      system_.back(k);
      again = true;
    });
    if (again) measure();
  }
}

// The residual of the full operator.
void Solver::Parts::finish() {
  const auto left = system_.left();
  const double even_sites = static_cast<double>(system_.block().lattice().sites() / 2);
  for (std::size_t k = 0; k < states_.size(); ++k) {
    SolveReport& report = states_[k].report;
    if (states_[k].size != 0) report.residual = std::sqrt(left[0][k] + left[1][k]) / states_[k].size;
    report.flops = flops_of(options_.method) * even_sites * report.iterations;
  }
}

Solver::Solver(const Gauge& gauge, const Action& action, const SolveOptions& options)
    : parts_(std::make_unique<Parts>(gauge, action, options)) {}
Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;
int Solver::columns() const { return parts_->columns(); }
void Solver::put(int column, const SpinorField& b, const SpinorField& guess) {
  parts_->put(column, b, &guess);
}
void Solver::put(int column, const SpinorField& b) { parts_->put(column, b, nullptr); }
std::vector<SolveReport> Solver::solve() { return parts_->solve(); }
void Solver::get(int column, const SpinorField& x) { parts_->get(column, x); }
SolveReport Solver::solve(const SpinorField& x, const SpinorField& b) {
  put(0, b, x);
  const SolveReport report = solve().front();
  get(0, x);
  return report;
}
void Solver::apply(const SpinorField& out, const SpinorField& in) { parts_->apply(out, in); }

} // namespace tasuki::wilson
