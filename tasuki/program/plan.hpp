// The planner of a program: it determines, before the steps run, where they need exchanges.
//
// Each field's halo is valid up to some depth, and a sweep needs it as deep as it reads. If the halo is not
// valid that deep, an exchange is put before the sweep. If it is valid deeper, the sweep also runs in a part
// of the halo, so that the next sweep finds it valid. Halo 4 and reach 1: an exchange every fourth step.
#pragma once

#include <tasuki/program/program.hpp>
#include <tasuki/program/rules.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace tasuki {

struct PlannedSweep {
  Sweep sweep;
  std::vector<HaloNeed> needs;                // what has to be exchanged before it; often nothing
  mutable std::shared_ptr<Exchange> exchange; // of these needs, made when first run
  bool halos_free = false;                    // see Exchange::start
  std::vector<Box> boxes;                     // local cells to sweep
  std::vector<Box> interior, rim;             // the same: cells that read no halo of `needs`, and the rest
};

struct PlannedRefresh {
  std::vector<HaloNeed> needs;
  mutable std::shared_ptr<Exchange> exchange;
};

// Before fields are read anywhere, and before they are written or shown to a call where ranks may still read them so.
struct PlannedSync {
  std::vector<std::shared_ptr<FieldCore>> fields;
  // What has to be synchronised, once each, with the memories that the fields have now.
  std::vector<CommonMemory*> memories() const;
};
// All ranks see what was written and enqueued on the device before. Collective.
void synchronise(const std::vector<CommonMemory*>& memories, Device& device);

// The state that determines how a step is planned: how deep the halo of each field is valid, and which memory the field has.
struct PlanState {
  std::vector<Validity> validity;
  std::vector<int> memory;
  friend bool operator==(const PlanState&, const PlanState&) = default;
};

struct PlannedCall {
  Call call;
  std::size_t item; // index of the item in the program
  PlanState here;   // the state before the call; if the call changes it, the rest is planned again
};

using PlannedOp = std::variant<PlannedSweep, PlannedRefresh, PlannedSync, Swap, PlannedCall, Settle>;

struct PlannedStep {
  std::vector<bool> fires; // which items take part
  std::size_t from = 0;    // index of the first item; above 0 after a call that changed a field
  PlanState before, after;
  std::vector<PlannedOp> ops;
  std::vector<PlannedStep*> next; // steps that have followed this one
};

// State that the runs of a program leave for its next run. Defined in run/kept.hpp;
// owned here, so that it has the lifetime of the planned steps.
class KeptByRuns {
public:
  virtual ~KeptByRuns() = default;
};

class Planner {
public:
  explicit Planner(const Items& items);
  ~Planner(); // destroys its exchanges. Collective

  // The step with this number (from 1) that follows `last` (null: from the current state of the fields). A step
  // is planned once, and then looked up: in a program whose steps repeat this costs one comparison per step.
  PlannedStep& step(long number, PlannedStep* last);

  PlannedStep& rest_of(const PlannedStep& step, std::size_t item, const PlanState& now);

  PlanState state() const;                      // of the fields now
  void set_state(const PlanState& state) const; // validities only: memories are swapped as the steps run
  const std::vector<std::shared_ptr<FieldCore>>& fields() const { return fields_; }

  // The exchange of these needs in the fields' current memories; steps that do the same exchange
  // share it. Exchanges with turns of the device and with turns of the host are separate. Collective.
  std::shared_ptr<Exchange> exchange_for(const std::vector<HaloNeed>& needs, Turns turns = Turns::host);

  std::uint64_t digest() const { return digest_; } // of the items' terms (intent.hpp)

  std::unique_ptr<KeptByRuns> kept; // null until a run stores something

private:
  std::vector<bool> firing(long number) const;
  PlannedStep& find(const std::vector<bool>& fires, std::size_t from, const PlanState& before);
  std::unique_ptr<PlannedStep> plan(const std::vector<bool>& fires, std::size_t from,
                                    const PlanState& before) const;
  void plan_sweep(const Sweep& sweep, PlannedStep& step, PlanState& state) const;
  void plan_sync(const std::vector<int>& fields, PlannedStep& step, PlanState& state) const;
  PlannedGrid planned_grid() const;
  int index_of(const FieldCore* field) const;

  const Items& items_;
  std::vector<std::shared_ptr<FieldCore>> fields_;
  std::vector<std::unique_ptr<PlannedStep>> steps_;
  using Key = std::pair<Turns, std::vector<std::pair<int, Depth>>>;
  std::vector<std::pair<Key, std::shared_ptr<Exchange>>> exchanges_;
  std::uint64_t digest_ = 0;
};

} // namespace tasuki
