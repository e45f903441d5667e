#include <tasuki/run/stages.hpp>

#include <tasuki/run/script.hpp>

#include <algorithm>
#include <utility>

namespace tasuki {

void swap_memories(const Pass& pass) {
  for (const Pass::Op& op : pass.ops())
    if (op.swap) op.swap->a->swap(*op.swap->b);
}

const std::vector<Stage>& Stages::of(long first, long last, PlannedStep* before, long steps) {
  stages_.clear();
  begin();
  last_ = before;
  for (done_ = first - 1; done_ < last; ++done_) {
    PlannedStep& next = planner_.step(done_ + 1, last_);
    if (has_call(next)) break;
    last_ = &next;
    for (const PlannedOp& op : next.ops) add(op);
    if ((done_ + 2 - first) % steps == 0) begin();
  }
  for (auto stage = stages_.rbegin() + 1; stage != stages_.rend(); ++stage) { // the last swaps are not done
    const std::vector<Pass::Op>& ops = stage->pass.ops();
    for (auto op = ops.rbegin(); op != ops.rend(); ++op)
      if (op->swap) op->swap->a->swap(*op->swap->b);
  }
  for (std::size_t k = stages_.size(); k-- > 1;)
    stages_[k - 1].pass.followed_by(stages_[k].pass, stages_[k].sent);
  return stages_;
}

// Begins the next stage, unless the current one is still empty.
void Stages::begin() {
  if (!stages_.empty()) {
    const Stage& now = stages_.back();
    if (!now.exchange && !now.settlement && now.pass.empty()) return;
    swap_memories(now.pass);
  }
  stages_.emplace_back(planner_.fields());
}

void Stages::add(const PlannedOp& op) {
  if (const auto* sweep = std::get_if<PlannedSweep>(&op)) {
    if (!sweep->needs.empty()) add_exchange(*sweep, sweep->halos_free);
    Pass longer = stages_.back().pass;
    longer.add(*sweep);
    const Pass& now = stages_.back().pass;
    if (now.has_sweeps() && (now.reduces_into_one_of(*sweep->sweep) || !windows_.suits(longer))) {
      begin();
      stages_.back().pass.add(*sweep);
    } else {
      stages_.back().pass = std::move(longer);
    }
  } else if (const auto* swap = std::get_if<Swap>(&op)) {
    stages_.back().pass.add(*swap);
  } else if (const auto* refresh = std::get_if<PlannedRefresh>(&op)) {
    add_exchange(*refresh, false);
  } else if (const auto* settlement = std::get_if<Settle>(&op)) {
    begin();
    stages_.back().settlement = settlement->get();
  }
}

template <class Planned>
void Stages::add_exchange(const Planned& planned, bool halos_free) {
  begin();
  if (!planned.exchange && !planned.needs.empty()) planned.exchange = planner_.exchange_for(planned.needs);
  Stage& stage = stages_.back();
  for (const HaloNeed& need : planned.needs) stage.sent.insert(need.field->memory_id()); // present memories
  stage.exchange = planned.exchange.get();
  stage.halos_free = halos_free;
}

} // namespace tasuki
