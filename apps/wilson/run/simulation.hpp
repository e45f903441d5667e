// A run, from its first configuration or the state of its folder to its last: make, solve, contract, store.
#pragma once

#include <apps/wilson/quark/propagator.hpp>
#include <apps/wilson/run/fields.hpp>
#include <apps/wilson/run/results.hpp>
#include <apps/wilson/run/run_folder.hpp>
#include <tasuki/run/progress.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <string>

namespace tasuki::wilson {

struct SimulationReport {
  long first = 0, last = 0; // finished configurations before this part of the run, and now
  long columns = 0;         // solved in this part
  double seconds = 0;       // of the whole part
  double solve_seconds = 0; // of the solves
  double flops = 0;         // of the solves
  bool interrupted = false; // a signal ended it early
  std::map<std::string, double> phases;
};

Action action_of(const Options& options);
SolveOptions solve_options_of(const Options& options);
SourceShape source_of(const Options& options);

class Simulation {
public:
  // Begins a run, or resumes it from the folder's files. All members are collective.
  Simulation(const Lattice& lattice, const Options& options, RunFolder& folder, const Machine& machine);

  SimulationReport run();

  const Results& results() const { return *results_; }
  const Lattice& lattice() const { return lattice_; }

private:
  void open();
  bool make(long c);
  void read_spinors_of(long c);
  bool propagate(long c);
  bool solve(Propagator& propagator, long c, const std::vector<int>& columns);
  void take(Propagator& propagator, long c);
  void keep(Propagator& propagator, long c);
  bool look(int place, int iteration, double residual);
  bool interrupted() const;

  World& world_;
  const Options& options_;
  RunFolder& folder_;
  Lattice lattice_;
  Fields fields_;
  RowLayout layout_;
  Columns sources_, given_;        // from --source-file and --propagator-file
  std::optional<Results> results_; // opened when the first configuration is valid
  SimulationReport report_;
  std::optional<ProgressView> view_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  // A column that is being solved, by its index among those that are solved together.
  struct Place {
    int column = 0, iterations = 0;
    double residual = 1;
  };
  struct {
    long configuration = 0;
    std::vector<Place> places;
    int shown = 0, asked = 0; // iterations at the last progress line, and at the last test for a signal
    std::chrono::steady_clock::time_point begun;
  } at_;
};

} // namespace tasuki::wilson
