// The folder of a run: its options, its state and its results.
//
//   job.json              its options and its ladder
//   results.h5            energies and states, one row per exchange; see results.hpp
//   trajectory.h5         frames of the selected replicas or temperatures, H5MD; see trajectory.hpp
//   checkpoint.h5         the atoms of all replicas
//   exchange-<step>.json  the states of the replicas at that step, which belong to the checkpoint
//   record.json           the result record, at the end
#pragma once

#include <apps/argon/engine/replicas.hpp>
#include <apps/argon/exchange/exchange.hpp>
#include <tasuki/job/run_folder.hpp>

#include <string>

namespace tasuki::argon {

// The state of a run, besides the atoms.
struct Standing {
  long interval = 0;      // number of finished intervals
  ExchangeState exchange; // after the last decision
  std::vector<int> held;  // the state of each replica in the last interval, before that decision
};

std::string to_json(const Standing& standing);
Standing parse_standing(const std::string& text, const std::string& path); // throws Error if it is damaged

class RunFolder : public job::RunFolder {
public:
  RunFolder(World& world, const std::string& path, bool resume)
      : job::RunFolder(world, "argon", path, "checkpoint.h5", resume) {}

  std::string trajectory() const { return at("trajectory.h5"); }
  std::string checkpoint() const { return at("checkpoint.h5"); }

  // Saves the atoms and the standing of the same step. If the run ends in between, the previous pair is complete.
  // `fingerprint`: that of the run. Collective.
  void save(const Replicas& replicas, const Standing& standing, long step, double fingerprint);
  // Throws Error if the checkpoint is damaged or of another run. Collective.
  Standing load(Replicas& replicas, double fingerprint);
};

} // namespace tasuki::argon
