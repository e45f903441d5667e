// Where exchanges must stand: a program's steps, worked out before they run.
//
// Each field's halo is valid to some depth. A sweep needs it as deep as it reads; where it falls short an exchange is
// put before the sweep, and where the halo is deeper than that the sweep is done in part of the halo too, so that the
// next one finds it valid. Halo 4 and reach 1: an exchange every fourth step.
#pragma once

#include <tasuki/program/program.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace tasuki {

struct PlannedSweep {
  Sweep sweep;
  std::vector<HaloNeed> needs;                // what has to be exchanged before it; often nothing
  mutable std::shared_ptr<Exchange> exchange; // of these needs, made when first run
  bool halos_free = false;                    // see Exchange::start
  std::vector<Box> boxes;                     // local cells to do
  std::vector<Box> interior, rim;             // the same: what needs no halo of `needs`, and the rest
};

struct PlannedRefresh {
  std::vector<HaloNeed> needs;
  mutable std::shared_ptr<Exchange> exchange;
};

// What decides a step: how deep every field's halo is valid and which memory it has.
struct PlanState {
  std::vector<Validity> validity;
  std::vector<int> memory;
  friend bool operator==(const PlanState&, const PlanState&) = default;
};

struct PlannedCall {
  Call call;
  std::size_t item; // its place in the program
  PlanState here;   // what holds when it is called; a call that changes that has the rest planned anew
};

using PlannedOp = std::variant<PlannedSweep, PlannedRefresh, Swap, PlannedCall, Settle>;

struct PlannedStep {
  std::vector<bool> fires; // which items take part
  std::size_t from = 0;    // the first of them: more than 0 where a call changed a field
  PlanState before, after;
  std::vector<PlannedOp> ops;
  std::vector<PlannedStep*> next; // steps that have followed this one
};

// What the runs of a program leave for its next run. The room that runs programs says what that is (run/kept.hpp); here it
// only lives as long as what was planned.
class KeptByRuns {
public:
  virtual ~KeptByRuns() = default;
};

class Planner {
public:
  explicit Planner(const Items& items);
  ~Planner(); // its exchanges go on all ranks together

  // The step with this number (from 1) that follows `last` (null: from the fields as they are). Planned once, then
  // looked up: a program in its stride costs a comparison a step.
  PlannedStep& step(long number, PlannedStep* last);

  PlannedStep& rest_of(const PlannedStep& step, std::size_t item, const PlanState& now);

  PlanState state() const;                      // of the fields now
  void set_state(const PlanState& state) const; // validities only: memories are swapped as the steps run
  const std::vector<std::shared_ptr<FieldCore>>& fields() const { return fields_; }

  // The exchange of these needs as memories lie now; shared by the steps that do the same one. Collective.
  // Those whose turns the device counts are others than those whose turns the host does.
  std::shared_ptr<Exchange> exchange_for(const std::vector<HaloNeed>& needs, Turns turns = Turns::host);

  std::uint64_t digest() const { return digest_; } // of the items' terms (intent.hpp)

  std::unique_ptr<KeptByRuns> kept; // null until a run leaves something

private:
  std::vector<bool> firing(long number) const;
  PlannedStep& find(const std::vector<bool>& fires, std::size_t from, const PlanState& before);
  std::unique_ptr<PlannedStep> plan(const std::vector<bool>& fires, std::size_t from,
                                    const PlanState& before) const;
  PlannedSweep plan_sweep(const Sweep& sweep, PlanState& state) const;
  int index_of(const FieldCore* field) const;

  const Items& items_;
  std::vector<std::shared_ptr<FieldCore>> fields_;
  std::vector<std::unique_ptr<PlannedStep>> steps_;
  using Key = std::pair<Turns, std::vector<std::pair<int, Depth>>>;
  std::vector<std::pair<Key, std::shared_ptr<Exchange>>> exchanges_;
  std::uint64_t digest_ = 0;
};

} // namespace tasuki
