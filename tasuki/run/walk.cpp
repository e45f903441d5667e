#include <tasuki/run/walk.hpp>

#include <tasuki/run/executor.hpp>
#include <tasuki/run/vote.hpp>

#include <algorithm>

namespace tasuki {

Walk::Walk(const Program& program, Vote* vote)
    : program_(program),
      planner_(program.planner()),
      device_(program.grid().device()),
      vote_(vote),
      phases_(program.grid().device()) {}

bool Walk::told_to_stop() { return vote_ && vote_->stop_in_step(); }

template <class Planned>
Exchange* Walk::exchange_of(const Planned& planned) {
  if (!planned.exchange && !planned.needs.empty()) planned.exchange = planner_.exchange_for(planned.needs);
  return planned.exchange.get();
}

void Walk::prepare(long first, long last) {
  constexpr long kAhead = 256; // steps: enough for items that recur every hundred steps
  const PlanState now = planner_.state();
  std::vector<const Swap*> swaps;
  PlannedStep* step = nullptr;
  for (long number = first; number <= std::min(last, first + kAhead); ++number) {
    step = &planner_.step(number, step);
    for (const PlannedOp& op : step->ops) {
      if (const auto* sweep = std::get_if<PlannedSweep>(&op)) exchange_of(*sweep);
      if (const auto* refresh = std::get_if<PlannedRefresh>(&op)) exchange_of(*refresh);
      if (const auto* swap = std::get_if<Swap>(&op)) {
        swap->a->swap(*swap->b);
        swaps.push_back(swap);
      }
    }
  }
  for (auto swap = swaps.rbegin(); swap != swaps.rend(); ++swap) (*swap)->a->swap(*(*swap)->b);
  planner_.set_state(now);
}

void Walk::step(long number, StepExecutor& executor) {
  World& world = device_.world();
  const NamedRange range(phases_.ranges(), "step");
  phases_.begin_step(number);
  PlannedStep* step = &planner_.step(number, last_);
  for (std::size_t k = 0; k < step->ops.size();) {
    const PlannedOp& op = step->ops[k++];
    if (const auto* sweep = std::get_if<PlannedSweep>(&op)) {
      count(exchange_of(*sweep));
      world.doing(sweep->sweep->name().c_str());
      executor.sweep(*sweep, phases_);
    } else if (const auto* refresh = std::get_if<PlannedRefresh>(&op)) {
      Exchange& exchange = *exchange_of(*refresh);
      count(&exchange);
      world.doing("an exchange");
      phases_.begin(Phase::exchange, "exchange");
      exchange.start(device_.stream());
      exchange.wrap(device_.stream());
      exchange.finish(device_.stream());
      phases_.end();
    } else if (const auto* sync = std::get_if<PlannedSync>(&op)) {
      phases_.begin(Phase::exchange, "a synchronisation of fields");
      synchronise(sync->memories(), device_);
      phases_.end();
    } else if (const auto* swap = std::get_if<Swap>(&op)) {
      swap->a->swap(*swap->b);
    } else if (const auto* settlement = std::get_if<Settle>(&op)) {
      world.doing((*settlement)->name().c_str());
      phases_.begin(Phase::settle, (*settlement)->name().c_str());
      (*settlement)->launch(device_.stream());
      phases_.end();
    } else {
      const auto& call = std::get<PlannedCall>(op);
      world.doing("a call of the program");
      phases_.begin(Phase::call, "a call of the program");
      planner_.set_state(call.here);
      call.call.function(number);
      phases_.end();
      const PlanState now = planner_.state();
      if (now == call.here) continue;
      // The call has written a field: the rest of the step is planned anew.
      step = &planner_.rest_of(*step, call.item + 1, now);
      k = 0;
    }
  }
  last_ = step;
}

void Walk::settle() const {
  if (last_) planner_.set_state(last_->after);
}

void Walk::count(const Exchange* exchange, long times) {
  if (!exchange) return;
  for (std::size_t k = 0; k < channels_.size(); ++k) {
    channels_[k].bytes += times * exchange->bytes(static_cast<ChannelKind>(k));
    channels_[k].messages += times * exchange->messages(static_cast<ChannelKind>(k));
  }
}

void Walk::count(ChannelKind kind, long bytes, long messages) {
  channels_[static_cast<std::size_t>(kind)].bytes += bytes;
  channels_[static_cast<std::size_t>(kind)].messages += messages;
}

} // namespace tasuki
