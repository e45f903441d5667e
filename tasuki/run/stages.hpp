// What the executor streamed does in some steps, put together before any of it is done: passes, and the exchanges and
// settlements between them.
//
//   const std::vector<Stage> stages = stages_of({walk.planner(), windows}, first, last, step, 4);
#pragma once

#include <tasuki/run/pass.hpp>
#include <tasuki/run/windows.hpp>

#include <set>
#include <vector>

namespace tasuki {

// An exchange or a settlement, which may be missing, then a pass, which may be empty.
struct Stage {
  explicit Stage(const Pass::Fields& fields) : pass(fields) {}

  Exchange* exchange = nullptr;
  std::set<int> sent; // memories whose cells it sends
  bool halos_free = false;
  const SettleCore* settlement = nullptr;
  Pass pass;
};

// The fields trade memories as the pass has it.
void swap_memories(const Pass& pass);

class Stages {
public:
  // All have to outlive it.
  Stages(Planner& planner, const Windows& windows) : planner_(planner), windows_(windows) {}

  // Of the steps from `first` to `last`, up to one that has a call; a pass has `steps` of them at most. `before`: the step
  // before them, null where the fields are to be asked. Memories are swapped on the way as the stages will swap them, and
  // back. Collective.
  const std::vector<Stage>& of(long first, long last, PlannedStep* before, long steps);
  // The last step that they do, and its number; `first` - 1 where there is none.
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
