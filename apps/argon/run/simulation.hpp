// A run, from its first interval or its checkpoint to its last interval: advance, gather, decide, store.
#pragma once

#include <apps/argon/exchange/exchanging.hpp>
#include <apps/argon/run/results.hpp>
#include <apps/argon/run/run_folder.hpp>
#include <apps/argon/run/trajectory.hpp>
#include <apps/argon/run/verify.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tasuki::argon {

struct SimulationReport {
  long first_step = 0, last_step = 0; // of this part of the run
  double seconds = 0;                 // for its intervals, with exchanges and output
  bool interrupted = false;           // a signal ended it early
  std::map<std::string, double> phases;
  long verified = 0, differed = 0; // replicas that were computed twice, over all ranks
};

class Simulation {
public:
  // Begins a run, or resumes it from the folder's checkpoint if there is one. Collective.
  Simulation(World& world, const Options& options, const System& system, const Ladder& ladder,
             RunFolder& folder, const Machine& machine);

  SimulationReport run();

  const Exchange& exchange() const { return parts_.exchange; }
  const Replicas& replicas() const { return parts_.replicas; }

private:
  void open_files(const Machine& machine);
  void begin_or_resume();
  void expect_finite();
  void keep_row();
  void checkpoint();
  long step() const { return parts_.interval * options_.exchange_every; }

  World& world_;
  const Options& options_;
  RunFolder& folder_;
  double fingerprint_;
  Exchanging parts_;
  Frames frames_;
  Verify verify_;
  std::optional<Results> results_;
  std::optional<Trajectory> trajectory_;
  bool row_waits_ = false; // the row of the last interval is not stored yet
  long saved_ = -1;        // the step of the last checkpoint
};

} // namespace tasuki::argon
