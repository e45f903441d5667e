// Where a run keeps what it is, where it stands and what it found.
//
//   job.json              its options and its ladder
//   results.h5            energies and states, a row an exchange; see results.hpp
//   trajectory.h5         frames of the replicas or temperatures asked for, H5MD; see trajectory.hpp
//   checkpoint.h5         the atoms of all replicas
//   exchange-<step>.json  who held which state then; the checkpoint's other half
//   record.json           the result record, at the end
#pragma once

#include <apps/argon/engine/replicas.hpp>
#include <apps/argon/exchange/exchange.hpp>
#include <tasuki/job/run_folder.hpp>

#include <string>

namespace tasuki::argon {

// Where a run stands, beside the atoms.
struct Standing {
  long interval = 0;      // that many are done
  ExchangeState exchange; // after the last decision
  std::vector<int> held;  // the state of each replica in the last interval, before that decision
};

std::string to_json(const Standing& standing);
Standing parse_standing(const std::string& text, const std::string& path); // throws Error where it is damaged

class RunFolder : public job::RunFolder {
public:
  RunFolder(World& world, const std::string& path, bool resume)
      : job::RunFolder(world, "argon", path, "checkpoint.h5", resume) {}

  std::string trajectory() const { return at("trajectory.h5"); }
  std::string checkpoint() const { return at("checkpoint.h5"); }

  // The atoms and the standing of one moment, so that whatever ends the run meanwhile, the last such pair is whole.
  // `fingerprint` is the run's. Collective.
  void save(const Replicas& replicas, const Standing& standing, long step, double fingerprint);
  // Throws Error where the checkpoint is of another run or damaged. Collective.
  Standing load(Replicas& replicas, double fingerprint);
};

} // namespace tasuki::argon
