// The walk through a program's planned steps: what is the same in every executor.
#pragma once

#include <tasuki/program/plan.hpp>
#include <tasuki/run/phases.hpp>
#include <tasuki/run/report.hpp>

#include <array>

namespace tasuki {

class StepExecutor;
class Vote;

using ChannelUses = std::array<ChannelUse, kChannelNames.size()>;

class Walk {
public:
  // `vote`: of the run that walks, for an executor that does many steps without returning to the walk.
  explicit Walk(const Program& program, Vote* vote = nullptr);

  const Program& program() const { return program_; }
  Planner& planner() { return planner_; }
  Device& device() const { return device_; }
  Phases& phases() { return phases_; }
  const ChannelUses& channels() const { return channels_; }

  // Plans the steps that are about to come and sets up their exchanges, so that none of it is done in their time.
  // Memories are swapped on the way as the steps will swap them, and back. Collective.
  void prepare(long first, long last);

  // The step as it is planned, done by the executor.
  void step(long number, StepExecutor& executor);

  // For executors that do several steps at once and know what becomes of the fields: the state of the fields has
  // changed behind the walk's back (see Planner::set_state), the next step is planned from there.
  void jumped() { last_ = nullptr; }
  void count(const Exchange* exchange, long times = 1); // towards what the run reports
  void count(ChannelKind kind, long bytes, long messages);

  // Whether a rank was told to stop; true on all ranks in the same step, if all ask in the same ones. Only ranks of one host
  // hear of it here, others between two stretches.
  bool told_to_stop();

  // The fields' validities as the last step left them.
  void settle() const;

private:
  template <class Planned>
  Exchange* exchange_of(const Planned& planned);

  Program program_;
  Planner& planner_;
  Device& device_;
  Vote* vote_;
  Phases phases_;
  PlannedStep* last_ = nullptr;
  ChannelUses channels_{};
};

} // namespace tasuki
