// The work of the executor streamed in some steps, arranged before any of it is executed: passes, and the exchanges and
// settlements between them.
//
//   const std::vector<Stage> stages = stages_of({walk.planner(), windows}, first, last, step, 4);
#pragma once

#include <tasuki/run/pass.hpp>
#include <tasuki/run/windows.hpp>

#include <set>
#include <vector>

namespace tasuki {

// An optional exchange or settlement, followed by a pass, which may be empty.
struct Stage {
  explicit Stage(const Pass::Fields& fields) : pass(fields) {}

  Exchange* exchange = nullptr;
  std::set<int> sent; // memories of which cells are sent
  bool halos_free = false;
  const SettleCore* settlement = nullptr;
  Pass pass;
};

// Swaps the fields' memories as the pass does.
void swap_memories(const Pass& pass);

class Stages {
public:
  // The arguments must outlive this object.
  Stages(Planner& planner, const Windows& windows) : planner_(planner), windows_(windows) {}

  // The stages of the steps from `first` to `last`, or up to a step with a call; a pass has at most `steps` steps.
  // `before` is the previous step, or null if the validities of the fields say what is up to date. Memories are swapped
  // as the stages will do, and swapped back. Collective.
  const std::vector<Stage>& of(long first, long last, PlannedStep* before, long steps);
  // The last step of the stages, and its number; `first` - 1 if there is none.
  PlannedStep* last() const { return last_; }
  long done() const { return done_; }

private:
  void begin();
  void add(const PlannedOp& op);
  template <class Planned>
  void add_exchange(const Planned& planned, bool halos_free);

  Planner& planner_;
  const Windows& windows_;
  std::vector<Stage> stages_;
  PlannedStep* last_ = nullptr;
  long done_ = 0;
};

} // namespace tasuki
