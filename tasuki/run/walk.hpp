// The walk through a program's planned steps: the part that all executors share.
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
  // `vote`: of the run, for an executor that does many steps in one call.
  explicit Walk(const Program& program, Vote* vote = nullptr);

  const Program& program() const { return program_; }
  Planner& planner() { return planner_; }
  Device& device() const { return device_; }
  Phases& phases() { return phases_; }
  const ChannelUses& channels() const { return channels_; }

  // Plans the next steps and sets up their exchanges, so that this is not part of their time.
  // Memories are swapped as the steps will do, and swapped back. Collective.
  void prepare(long first, long last);

  // Does one step as planned, through the executor.
  void step(long number, StepExecutor& executor);

  // For executors that do several steps at once and set the state of the fields themselves (see
  // Planner::set_state): the next step is planned from that state.
  void jumped() { last_ = nullptr; }
  void count(const Exchange* exchange, long times = 1); // adds to the totals of the report
  void count(ChannelKind kind, long bytes, long messages);

  // Whether a rank has received a signal; true on all ranks in the same step, if all call it in the same steps. Only
  // for ranks of one host; with several hosts, the vote between stretches decides.
  bool told_to_stop();

  // Sets the fields' validities to those after the last step.
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
