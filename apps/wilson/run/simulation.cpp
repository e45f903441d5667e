#include <apps/wilson/run/simulation.hpp>

#include <tasuki/base/gather.hpp>
#include <tasuki/base/number.hpp>
#include <tasuki/base/on_all.hpp>
#include <tasuki/job/stopwatch.hpp>
#include <tasuki/run/progress.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace tasuki::wilson {
namespace {

using job::Stopwatch;
using Clock = std::chrono::steady_clock;

constexpr double kFlopsPerSite = 6336; // per even site and iteration of BiCGStab; see solver.hpp
constexpr int kLookEvery = 16;         // iterations between two tests for a signal

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
  s.links = parse_number<int>(o.links, "--links");
  s.tolerance = o.tolerance;
  s.most_iterations = narrow<int>(o.most_iterations, "--most-iterations");
  s.columns = narrow<int>(std::max(1L, o.columns), "--columns");
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
    folder.remove(RunFolder::gauge()); // left by a run without results
  else if (folder.has("results.h5"))
    open();
}

// Creates the file if it does not exist, but only after the first configuration is known to be valid: the folder of a
// run that was refused can be used for the next run.
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
  if (there) results_->checksum(); // an altered file is reported before further solves
}

// Whether any rank has received a signal. Collective.
bool Simulation::interrupted() const { return any_rank(world_, world_.interrupted()); }

SimulationReport Simulation::run() {
  report_.first = results_ ? results_->rows() : 0;
  {
    const Stopwatch watch(report_.seconds);
    view_.emplace(Progress{"wilson", 0, "columns", "s"}, world_.settings().progress, world_.rank() == 0,
                  report_.first * kColumns, options_.count() * kColumns);
    for (long c = report_.first; c < options_.count() && !report_.interrupted; ++c) {
      report_.interrupted = !make(c);
      if (report_.interrupted) break;
      read_spinors_of(c);
      if (!results_) open();
      report_.interrupted = !propagate(c);
    }
  }
  if (!results_) open();
  report_.last = results_->rows();
  view_->finish(report_.last * kColumns, report_.seconds);
  return report_;
}

// False if a signal has ended it.
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

// Called before anything of the run is stored: if a file is refused, the folder stays unused.
void Simulation::read_spinors_of(long c) {
  sources_ = given_ = {};
  const auto read = [&](const std::string& path, Columns& columns) {
    if (!path.empty()) columns = read_propagator(lattice_, numbered(path, c, options_.count()));
  };
  read(options_.source_file, sources_);
  read(options_.propagator_file, given_);
}

// False if a signal has ended it.
bool Simulation::propagate(long c) {
  std::optional<Propagator> propagator;
  {
    const Stopwatch watch(report_.phases["source and set-up"]);
    propagator.emplace(fields_.gauge(), action_of(options_), source_of(options_), std::move(sources_));
  }
  if (!options_.propagator_file.empty()) {
    take(*propagator, c);
    keep(*propagator, c);
    return true;
  }
  std::vector<int> left;
  for (int k = 0; k < kColumns; ++k) {
    if (folder_.load_column(propagator->solution(), c, k))
      propagator->take(k);
    else
      left.push_back(k);
  }
  const auto groups = groups_of(left, static_cast<int>(std::max(1L, options_.columns)));
  if (!groups.empty()) {
    const Stopwatch watch(report_.phases["source and set-up"]);
    SolveOptions how = solve_options_of(options_);
    how.columns = static_cast<int>(groups.back().size()); // the largest group
    how.look = [this](int place, int iteration, double residual) { return look(place, iteration, residual); };
    propagator->prepare(how);
  }
  for (const std::vector<int>& columns : groups)
    if (interrupted() || !solve(*propagator, c, columns)) return false;
  keep(*propagator, c);
  return true;
}

// Solves columns together. False if a signal has ended it: the next part then solves the unfinished columns again,
// with the same bits.
bool Simulation::solve(Propagator& propagator, long c, const std::vector<int>& columns) {
  at_ = {c, {}, 0, 0, Clock::now()};
  for (const int k : columns) at_.places.push_back({k, 0, 1});
  bool all = true;
  double saving = 0;
  const Clock::time_point begun = Clock::now();
  propagator.solve(columns, [&](int k, const SolveReport& solved) {
    if (!solved.converged && interrupted()) all = false;
    if (!solved.converged && !all) return;
    ++report_.columns;
    report_.solve_seconds += solved.seconds;
    report_.flops += solved.flops;
    if (!solved.converged && world_.rank() == 0) {
      const std::string what =
          fmt::format("column {} of configuration {} ({}) did not converge: residual {:.3g}, {}", k, c,
                      name_of(options_, c), solved.residual, solved.why);
      std::fprintf(stderr, "tasuki: %s\n", what.c_str());
    }
    const Stopwatch watch(saving);
    results_->add(c, k, solved);
    folder_.save_column(propagator.solution(), c, k);
  });
  report_.phases["checkpoint"] += saving;
  report_.phases["solve"] += seconds_since(begun) - saving;
  return all;
}

// Called after each iteration of a column: updates the progress line, and sometimes tests for a signal.
bool Simulation::look(int place, int iteration, double residual) {
  Place& mine = at_.places[static_cast<std::size_t>(place)];
  mine.iterations = iteration;
  mine.residual = residual;
  if (world_.rank() == 0 && iteration > at_.shown) { // once for all columns
    at_.shown = iteration;
    double part = 0, iterations = 0, worst = 0;
    for (const Place& p : at_.places) {
      part += std::clamp(std::log(p.residual) / std::log(options_.tolerance), 0.0, 1.0);
      iterations += p.iterations;
      worst = std::max(worst, p.residual);
    }
    const double since = seconds_since(at_.begun);
    const double flops = kFlopsPerSite * static_cast<double>(lattice_.sites()) / 2 * iterations;
    const int first = at_.places.front().column, last = at_.places.back().column;
    view_->note(
        fmt::format("configuration {}, {}, iteration {}, residual {:.1e}, {:.3g} TFLOP/s", at_.configuration,
                    first == last ? fmt::format("column {}", first)
                                  : fmt::format("{} columns, {} to {}", at_.places.size(), first, last),
                    iteration, worst, since > 0 ? flops / since * 1e-12 : 0));
    view_->show(static_cast<double>(at_.configuration * kColumns + first) + part, seconds_since(begun_));
  }
  if (iteration < at_.asked + kLookEvery) return false;
  at_.asked = iteration;
  return interrupted();
}

// Takes a propagator from a file without a solve. Its residual is measured and reported, but not judged.
void Simulation::take(Propagator& propagator, long c) {
  constexpr double kForeign = 1e-3;
  const std::string path = numbered(options_.propagator_file, c, options_.count());
  const Stopwatch watch(report_.phases["propagator"]);
  SolveOptions how = solve_options_of(options_);
  how.most_iterations = 0;
  propagator.prepare(how);
  std::vector<int> all(kColumns);
  std::iota(all.begin(), all.end(), 0);
  double worst = 0;
  for (const std::vector<int>& group : groups_of(all, how.columns))
    propagator.solve(group, given_, [&](int k, SolveReport left) {
      left.converged = true;
      worst = std::max(worst, left.residual);
      results_->add(c, k, left);
    });
  if (worst > kForeign && world_.rank() == 0)
    std::fprintf(
        stderr,
        "tasuki: %s does not hold solutions for this field, kappa and source: |b - M x| / |b| is %.3g\n",
        path.c_str(), worst);
}

void Simulation::keep(Propagator& propagator, long c) {
  Correlators correlators;
  {
    const Stopwatch watch(report_.phases["contract"]);
    correlators = contract(lattice_, propagator.columns(), source_of(options_).origin(), options_.thetas());
  }
  const Stopwatch watch(report_.phases["checkpoint"]);
  if (options_.propagators != "none")
    write_propagator(lattice_, folder_.at(RunFolder::propagator(c, options_.propagators)),
                     propagator.columns(),
                     {.note = fmt::format("{}, kappa {:.17g}", name_of(options_, c), options_.kappa),
                      .attributes = propagator_attributes(options_, layout_)});
  results_->finish(c, fields_.measured(), source_of(options_).at, correlators);
  for (int k = 0; k < kColumns; ++k) folder_.remove(RunFolder::column(c, k));
}

} // namespace tasuki::wilson
