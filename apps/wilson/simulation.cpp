#include <apps/wilson/simulation.hpp>

#include <apps/common/stopwatch.hpp>
#include <tasuki/base/gather.hpp>
#include <tasuki/file/agree.hpp>
#include <tasuki/run/progress.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tasuki::wilson {
namespace {

using apps::Stopwatch;
using Clock = std::chrono::steady_clock;

constexpr double kFlopsPerSite = 6336; // of an even site, an iteration of BiCGStab; see solver.hpp
constexpr int kLookEvery = 16;         // iterations between two questions whether a signal came

double seconds_since(Clock::time_point then) {
  return std::chrono::duration<double>(Clock::now() - then).count();
}

std::vector<std::string> names_of(const Options& options) {
  std::vector<std::string> names;
  for (long c = 0; c < options.count(); ++c) names.push_back(name_of(options, c));
  return names;
}

} // namespace

Action action_of(const Options& o) {
  Action action;
  action.kappa = o.kappa;
  action.phase = o.thetas();
  action.norm = o.norm == "mass" ? Norm::mass : Norm::kappa;
  action.anisotropy = o.anisotropy;
  action.nu = o.nu;
  return action;
}

SolveOptions solve_options_of(const Options& o) {
  SolveOptions s;
  s.method = o.method == "cg" ? Method::cg : Method::bicgstab;
  s.inner = o.inner == "half"     ? Precision::half
            : o.inner == "single" ? Precision::single
                                  : Precision::double_;
  s.links = std::stoi(o.links);
  s.tolerance = o.tolerance;
  s.most_iterations = static_cast<int>(o.most_iterations);
  return s;
}

SourceShape source_of(const Options& o) {
  const SourceKind kind = o.source == "wall"       ? SourceKind::wall
                          : o.source == "gaussian" ? SourceKind::gaussian
                                                   : SourceKind::point;
  return {kind, o.source_site(), o.source_width, o.source_steps};
}

Simulation::Simulation(const Lattice& lattice, const Options& options, RunFolder& folder,
                       const Machine& machine)
    : world_(lattice.world()),
      options_(options),
      folder_(folder),
      lattice_(lattice),
      fields_(lattice, options, folder),
      layout_(results_layout(options, names_of(options), machine)) {
  if (!options.resume)
    folder.remove(RunFolder::gauge()); // of a run that never came to a result
  else if (folder.has("results.h5"))
    open();
}

// Where there is none yet it is laid out, when the first configuration has been found good: a folder in which a run was
// refused is free for the next.
void Simulation::open() {
  const bool there = folder_.has("results.h5") && options_.resume;
  on_root(world_, [&] {
    if (there)
      fit_rows(folder_.results(), layout_);
    else
      RowFile::create(folder_.results(), layout_);
  });
  results_.emplace(world_, folder_.results(), layout_, lattice_.extents()[3]);
  if (results_->rows() > options_.count())
    throw Error(fmt::format("{} has {} configurations, and the run ends at {}", folder_.path(),
                            results_->rows(), options_.count()),
                fmt::format("give --configurations {} or more", results_->rows()));
}

// Whether a signal came to one rank or more. Collective.
bool Simulation::interrupted() const {
  Gather gather(world_, 1);
  const std::vector<double>& all = gather({world_.interrupted() ? 1.0 : 0.0});
  return std::any_of(all.begin(), all.end(), [](double said) { return said != 0; });
}

SimulationReport Simulation::run() {
  report_.first = results_ ? results_->rows() : 0;
  {
    const Stopwatch watch(report_.seconds);
    view_.emplace(Progress{"wilson", 0, "columns", "s"}, world_.settings().progress, world_.rank() == 0,
                  report_.first * kColumns, options_.count() * kColumns);
    for (long c = report_.first; c < options_.count() && !report_.interrupted; ++c) {
      report_.interrupted = !make(c);
      if (report_.interrupted) break;
      if (!results_) open();
      report_.interrupted = !propagate(c);
    }
  }
  if (!results_) open();
  report_.last = results_->rows();
  view_->finish(report_.last * kColumns, report_.seconds);
  return report_;
}

// False where a signal has ended it.
bool Simulation::make(long c) {
  const Stopwatch watch(report_.phases["gauge field"]);
  std::optional<ProgressView> view;
  const Clock::time_point begun = Clock::now();
  const auto after = [&](long done, long wanted) {
    if (!view)
      view.emplace(Progress{"wilson: heat bath", 0, "sweeps", "s"}, world_.settings().progress,
                   world_.rank() == 0, done - 1, wanted);
    view->note(fmt::format("configuration {}", c));
    view->show(static_cast<double>(done), seconds_since(begun));
    if (done == wanted) view->finish(done, seconds_since(begun));
    return interrupted();
  };
  if (!fields_.make(c, after)) return false;
  fields_.write(c);
  const std::string fault = zero_mode(options_, fields_.measured());
  if (!fault.empty())
    throw Error(fault, "use another --kappa, or an axis that is antiperiodic (--phases 0,0,0,1)");
  return true;
}

// False where a signal has ended it.
bool Simulation::propagate(long c) {
  SolveOptions how = solve_options_of(options_);
  how.look = [this](int iteration, double residual) { return look(iteration, residual); };
  std::optional<Propagator> propagator;
  {
    const Stopwatch watch(report_.phases["source and set-up"]);
    propagator.emplace(fields_.gauge(), action_of(options_), how, source_of(options_));
  }
  for (int k = 0; k < kColumns; ++k) {
    if (folder_.load_column(propagator->solution(), c, k)) {
      propagator->take(k);
      continue;
    }
    if (interrupted()) return false;
    const SolveReport solved = solve(*propagator, c, k);
    if (!solved.converged && interrupted()) return false; // done anew by the next part, to the same bits
    const Stopwatch watch(report_.phases["checkpoint"]);
    results_->add(c, k, solved);
    folder_.save_column(propagator->solution(), c, k);
  }
  keep(*propagator, c);
  return true;
}

SolveReport Simulation::solve(Propagator& propagator, long c, int k) {
  at_ = {c, k, Clock::now()};
  const Stopwatch watch(report_.phases["solve"]);
  const SolveReport solved = propagator.solve(k);
  ++report_.columns;
  report_.solve_seconds += solved.seconds;
  report_.flops += solved.flops;
  if (!solved.converged) {
    const std::string what =
        fmt::format("column {} of configuration {} ({}) did not converge: residual {:.3g}, {}", k, c,
                    name_of(options_, c), solved.residual, solved.why);
    if (world_.rank() == 0) std::fprintf(stderr, "tasuki: %s\n", what.c_str());
  }
  return solved;
}

// After an iteration: the live line, and now and then whether a signal came.
bool Simulation::look(int iteration, double residual) {
  const double since = seconds_since(at_.begun);
  if (world_.rank() == 0) {
    const double flops = kFlopsPerSite * static_cast<double>(lattice_.sites()) / 2 * iteration;
    const double part = std::clamp(std::log(residual) / std::log(options_.tolerance), 0.0, 1.0);
    view_->note(fmt::format("configuration {}, column {}, iteration {}, residual {:.1e}, {:.3g} TFLOP/s",
                            at_.configuration, at_.column, iteration, residual,
                            since > 0 ? flops / since * 1e-12 : 0));
    view_->show(static_cast<double>(at_.configuration * kColumns + at_.column) + part, seconds_since(begun_));
  }
  return iteration % kLookEvery == 0 && interrupted();
}

void Simulation::keep(Propagator& propagator, long c) {
  Correlators correlators;
  {
    const Stopwatch watch(report_.phases["contract"]);
    correlators = contract(lattice_, propagator.columns(), source_of(options_).origin(), options_.thetas());
  }
  const Stopwatch watch(report_.phases["checkpoint"]);
  if (options_.propagators == "lime")
    write_propagator(lattice_, folder_.at(RunFolder::propagator(c)), propagator.columns(),
                     {.note = fmt::format("{}, kappa {:.17g}", name_of(options_, c), options_.kappa)});
  results_->finish(c, fields_.measured(), source_of(options_).at, correlators);
  if (options_.propagators != "hdf5")
    for (int k = 0; k < kColumns; ++k) folder_.remove(RunFolder::column(c, k));
}

} // namespace tasuki::wilson
