#include <apps/wilson/solver/solver.hpp>

#include <apps/wilson/solver/inner_solver.hpp>
#include <apps/wilson/solver/updates.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace tasuki::wilson {
namespace {

double reliable_of(Precision inner) {
  switch (inner) {
    case Precision::half: return 0.1;
    case Precision::single: return 1e-3;
    default: return 1e-9;
  }
}

// Of an iteration, on an even site: four times half of the lattice's hops, 1320 a site, two combinations of 48, and the
// updates and sums of vectors: 960 of BiCGStab (6336 in all), 432 of CG.
double flops_of(Method method) { return 4 * 1320 + 2 * 48 + (method == Method::cg ? 432 : 960); }

struct Sizes {
  int number; // bytes of one
  int planes; // of a spinor
};
Sizes sizes_of(Precision precision) {
  switch (precision) {
    case Precision::half: return {sizeof(Stored<Half>::Element), Stored<Half>::kPlanes};
    case Precision::single: return {sizeof(float), Stored<float>::kPlanes};
    default: return {sizeof(double), Stored<double>::kPlanes};
  }
}
constexpr int kDoubleSpinors = 9, kInnerSpinors = 7; // that a solver has, each of one parity

constexpr int kIdle = 3; // updates without progress before a restart

} // namespace

std::string to_string(Precision precision) {
  switch (precision) {
    case Precision::half: return "half";
    case Precision::single: return "single";
    default: return "double";
  }
}

class Solver::Parts {
public:
  Parts(const Gauge& gauge, const Action& action, const SolveOptions& options)
      : action_(action),
        options_(options),
        block_(gauge.lattice(), options.columns),
        dirac_(make_dirac<double>(gauge, action, 18)),
        b_{spinors("b even"), spinors("b odd")},
        x_{spinors("x even"), spinors("x odd")},
        a_{spinors("a even"), spinors("a odd")},
        r_(spinors("r")),
        best_(spinors("best")),
        kept_(spinors("b even, as given")),
        norm_(block_, "|r|^2"),
        prepare_(program(copy(kept_, b_[0], block_.all()),
                         dirac_->combine(0, a_[0], b_[0], b_[1], action.kappa),
                         copy(b_[0], a_[0], block_.all()))),
        measure_(program(dirac_->hop(1, a_[1], x_[0]),
                         dirac_->combine(0, a_[0], x_[0], a_[1], -action.kappa * action.kappa), subtract(0))),
        complete_(
            program(copy(b_[0], kept_, block_.all()), dirac_->combine(1, x_[1], b_[1], x_[0], action.kappa))),
        apply_(program(dirac_->combine(0, a_[0], x_[0], x_[1], -action.kappa),
                       dirac_->combine(1, a_[1], x_[1], x_[0], -action.kappa))),
        subtract_{program(subtract(0)), program(subtract(1))},
        square_{program(square(0)), program(square(1))},
        states_(static_cast<std::size_t>(options.columns)) {
    if (!(options.tolerance > 0))
      throw Error("a tolerance of 0 or below is never met", "use one above 0, such as 1e-10");
    if (options_.reliable == 0) options_.reliable = reliable_of(options.inner);
    for (int k = 0; k < block_.columns(); ++k) {
      keep_.push_back(program(copy(best_, x_[0], block_.column(k))));
      back_.push_back(program(copy(x_[0], best_, block_.column(k))));
    }
    inner_ = make_inner(gauge, action_, options_, block_, r_, x_[0]);
  }

  int columns() const { return block_.columns(); }

  void put(int column, const SpinorField& b, const SpinorField* guess) {
    State& state = states_.at(static_cast<std::size_t>(column));
    state = {};
    state.asked = true;
    for (std::size_t p = 0; p < 2; ++p) {
      put(b_[p], column, b.parity[p], 1);
      if (guess)
        put(x_[p], column, guess->parity[p], 1 / scale()); // M x = b as for kappa, x / scale being sought
      else
        run(sweep(Clear{}, block_.column(column), writes(x_[p])));
    }
  }
  void get(int column, const SpinorField& x) {
    for (std::size_t p = 0; p < 2; ++p) get(x_[p], column, x.parity[p], scale());
  }

  std::vector<SolveReport> solve() {
    begin();
    run(prepare_);
    iterate();
    run(complete_);
    run(apply_);
    finish();
    std::vector<SolveReport> reports;
    for (State& state : states_) {
      reports.push_back(std::move(state.report));
      state = {};
    }
    return reports;
  }

  void apply(const SpinorField& out, const SpinorField& in) {
    for (std::size_t p = 0; p < 2; ++p) put(x_[p], 0, in.parity[p], 1);
    run(apply_);
    for (std::size_t p = 0; p < 2; ++p) get(a_[p], 0, out.parity[p], 1 / scale());
  }

private:
  // A column on its way.
  struct State {
    bool asked = false, goes = false, anew = true;
    double size = 0, length = 0, least = 0; // |b|, |r|, and that of the best x
    int idle = 0;                           // updates without progress
    SolveReport report;
  };

  double scale() const { return action_.norm == Norm::mass ? 2 * action_.kappa : 1; }
  Spinors<double> spinors(const std::string& name) { return make_spinors<double>(block_, name); }
  Sweep copy(const Spinors<double>& to, const Spinors<double>& from, const Region<kBlockAxes>& where) {
    return sweep(Copy{}, where, writes(to), reads(from));
  }
  Items subtract(std::size_t p) {
    return items(sweep(Subtract{}, block_.all(), reads(b_[p]), reads(a_[p]), writes(r_),
                       writes(norm_.offers()))) +
           norm_.add();
  }
  Items square(std::size_t p) {
    return items(sweep(Square{}, block_.all(), reads(b_[p]), writes(norm_.offers()))) + norm_.add();
  }
  void put(const Spinors<double>& to, int column, const SpinorPlanes& from, double factor) {
    run(sweep(PutColumn{from_lattice(from), factor}, block_.column(column), writes(to)));
  }
  void get(const Spinors<double>& from, int column, SpinorPlanes to, double factor) {
    run(sweep(GetColumn{of_lattice(to), factor}, block_.column(column), reads(from)));
    to.touched();
  }
  template <class F>
  void each(const F& f) { // of those that are on their way
    for (int k = 0; k < block_.columns(); ++k)
      if (State& state = states_[static_cast<std::size_t>(k)]; state.goes) f(k, state);
  }

  void begin();
  void measure();
  void iterate();
  bool stays(State& state);
  void finish();

  Action action_;
  SolveOptions options_;
  Block block_;
  std::unique_ptr<Dirac<double>> dirac_;
  std::array<Spinors<double>, 2> b_, x_, a_;
  Spinors<double> r_, best_, kept_;
  ColumnSums<double, 1> norm_;
  // Planned once: an update of the residual is then no more than its sweeps.
  Program prepare_;  // bhat = b_e + kappa H_eo b_o in the place of b_e, which is kept
  Program measure_;  // r = bhat - Mhat x
  Program complete_; // b_e as given, and x_o = b_o + kappa H_oe x_e
  Program apply_;    // a = M x
  std::array<Program, 2> subtract_, square_;
  std::vector<Program> keep_, back_; // by column: the best x
  std::vector<State> states_;
  std::unique_ptr<Inner> inner_;
};

void Solver::Parts::begin() {
  for (std::size_t p = 0; p < 2; ++p) {
    run(square_[p]);
    for (int k = 0; k < block_.columns(); ++k) states_[static_cast<std::size_t>(k)].size += norm_.value(k);
  }
  for (int k = 0; k < block_.columns(); ++k) {
    State& state = states_[static_cast<std::size_t>(k)];
    state.size = std::sqrt(state.size);
    if (state.asked && !std::isfinite(state.size))
      throw Error("the right-hand side holds what is not a number", "look at the source");
    state.goes = state.asked && state.size != 0;
    if (state.goes) continue;
    state.size = 0;
    state.report.converged = true;
    for (std::size_t p = 0; p < 2; ++p) {
      run(sweep(Clear{}, block_.column(k), writes(b_[p])));
      run(sweep(Clear{}, block_.column(k), writes(x_[p])));
    }
  }
}

void Solver::Parts::measure() {
  run(measure_);
  each([&](int k, State& state) { state.length = std::sqrt(norm_.value(k)); });
}

// Whether a column is done, or given up.
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

// On even sites, where the whole residual is: that of odd ones is 0 by the choice of x_o. The best x is put back where a
// correction made things worse.
void Solver::Parts::iterate() {
  const auto leave = [this] { // those that are done
    each([this](int k, State& state) {
      if (!stays(state)) return;
      state.goes = false;
      if (!state.report.converged) run(back_[static_cast<std::size_t>(k)]);
    });
    return std::none_of(states_.begin(), states_.end(), [](const State& state) { return state.goes; });
  };
  measure();
  each([this](int k, State& state) {
    state.least = state.length;
    run(keep_[static_cast<std::size_t>(k)]);
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
        run(keep_[at]);
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
      run(back_[at]);
      again = true;
    });
    if (again) measure();
  }
}

// What is left of the whole operator.
void Solver::Parts::finish() {
  std::vector<double> left(states_.size());
  for (const Program& subtract : subtract_) {
    run(subtract);
    for (std::size_t k = 0; k < left.size(); ++k)
      if (states_[k].size != 0) left[k] += norm_.value(static_cast<int>(k));
  }
  const double even_sites = static_cast<double>(block_.lattice().sites() / 2);
  for (std::size_t k = 0; k < left.size(); ++k) {
    SolveReport& report = states_[k].report;
    if (states_[k].size != 0) report.residual = std::sqrt(left[k]) / states_[k].size;
    report.flops = flops_of(options_.method) * even_sites * report.iterations;
  }
}

double Solver::memory_needed(const std::array<long, kAxes>& sites, const SolveOptions& options) {
  Widths halo{};
  for (int a = 0; a < kAxes; ++a) halo[a] = Width(1);
  const auto cells =
      static_cast<double>(layout_of(kAxes, {sites[0] / 2, sites[1], sites[2], sites[3]}, halo).plane);
  const Sizes inner = sizes_of(options.inner);
  const double links = 2 * kAxes * (18.0 * sizeof(double) + options.links * inner.number);
  const double spinors = kDoubleSpinors * kSpinorReals * static_cast<double>(sizeof(double)) +
                         kInnerSpinors * inner.planes * inner.number;
  const double offers = sizeof(double) + (1 + 2 + 8) * sizeof(double);
  return cells * (links + options.columns * (spinors + offers));
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
