#include <tasuki/run/script.hpp>

#include <numeric>

namespace tasuki {
namespace {

constexpr long kLongestPeriod =
    4096; // common period of every(..)s; a script with a longer one is treated as not periodic
constexpr long kCostWorthSharing = 64L << 10; // of an exchange's copies, in bytes of long runs

std::set<int> touched_halos(const PlannedSweep& planned) {
  const SweepCore& sweep = *planned.sweep;
  const Box owned = box_of(sweep.grid().dims(), sweep.grid().layout().extents);
  const bool beyond = std::any_of(planned.boxes.begin(), planned.boxes.end(),
                                  [&](const Box& box) { return !subtract(box, owned).empty(); });
  std::set<int> halos;
  for (const Access& access : sweep.accesses()) {
    if (!access.field) continue;
    const bool reaches = access.kind == Access::Kind::read && access.shape.order > 0;
    if (beyond || reaches) halos.insert(access.field->memory_id());
  }
  return halos;
}

bool meet(const std::set<int>& a, const std::set<int>& b) {
  return std::any_of(a.begin(), a.end(), [&](int m) { return b.count(m) != 0; });
}

// A halo is free for its next exchange after the last operation that uses it, often a step or more before that.
void find_frees(Script& script) {
  const long ahead = script.size(); // steps to search: one full period
  for (long s = 0; s < script.size(); ++s)
    for (std::size_t k = 0; k < script.steps[s].ops.size(); ++k) {
      ScriptOp& op = script.steps[s].ops[k];
      std::set<int> touched; // since then
      for (long steps = 0; steps <= ahead; ++steps) {
        const long number = script.first + s + steps;
        if (!script.knows(number)) break;
        const std::vector<ScriptOp>& ops = script.at(number).ops;
        for (std::size_t j = steps == 0 ? k + 1 : 0; j < ops.size(); ++j) {
          const ScriptOp& later = ops[j];
          if (meet(later.received, op.halos) && !meet(later.received, touched))
            op.frees.push_back({later.exchange, steps});
          touched.insert(later.halos.begin(), later.halos.end());
        }
        if (std::includes(touched.begin(), touched.end(), op.halos.begin(), op.halos.end())) break;
      }
    }
}

} // namespace

bool has_call(const PlannedStep& step) {
  return std::any_of(step.ops.begin(), step.ops.end(),
                     [](const PlannedOp& op) { return std::holds_alternative<PlannedCall>(op); });
}

long Script::ahead() const {
  long most = 0;
  for (const ScriptStep& step : steps)
    for (const ScriptOp& op : step.ops)
      for (const Free& free : op.frees) most = std::max(most, free.steps);
  return most;
}

Scripts::Scripts(const Program& program, const Team& team) : team_(team) {
  for (const Item& item : program.items())
    period_ = std::min(std::lcm(period_, item.period), kLongestPeriod + 1);
}

Script& Scripts::from(Walk& walk, long first, long last) {
  const PlannedStep& planned = walk.planner().step(first, nullptr);
  const bool comes_round = period_ <= kLongestPeriod;
  const auto [at, is_new] = scripts_.try_emplace({&planned, comes_round ? first % period_ : first});
  if (is_new) at->second = written(walk, first, last);
  at->second.first = first;
  return at->second;
}

// Plans the steps from `first` on until they repeat, or up to a step with a call. Memories are swapped as the steps
// will do, and swapped back.
Script Scripts::written(Walk& walk, long first, long last) {
  Planner& planner = walk.planner();
  const PlanState before = planner.state();
  std::vector<const Swap*> swaps;
  std::map<Place, long> known;
  Script script;
  script.first = first;
  PlannedStep* planned = nullptr;
  for (long number = first; number <= last && script.size() < kLongest; ++number) {
    planned = &planner.step(number, planned);
    if (has_call(*planned)) break;
    if (period_ <= kLongestPeriod) {
      const auto [at, is_new] = known.try_emplace({planned, number % period_}, script.size());
      if (!is_new) {
        script.loop = at->second;
        break;
      }
    }
    script.steps.push_back(step_of(walk, *planned));
    for (const ScriptOp& op : script.steps.back().ops) {
      if (op.shared) script.threads = team_.threads();
      if (op.task) script.threads = std::max(script.threads, op.task->parts());
    }
    for (const PlannedOp& op : planned->ops)
      if (const auto* swap = std::get_if<Swap>(&op)) swaps.push_back(swap);
  }
  for (auto swap = swaps.rbegin(); swap != swaps.rend(); ++swap) (*swap)->a->swap(*(*swap)->b);
  planner.set_state(before);
  find_frees(script);
  return script;
}

// Also does the step's swaps.
ScriptStep Scripts::step_of(Walk& walk, const PlannedStep& planned) {
  std::vector<std::unique_ptr<HostTask>>& tasks = tasks_[&planned];
  const bool bound = !tasks.empty();
  std::size_t next = 0;
  ScriptStep step{&planned, {}};
  const auto exchange_of = [&](const auto& what, ScriptOp& op) {
    if (what.needs.empty()) return;
    if (!what.exchange) what.exchange = walk.planner().exchange_for(what.needs);
    op.exchange = what.exchange.get();
    op.shared = team_.threads() > 1 && op.exchange->shared_cost() > kCostWorthSharing;
    for (const HaloNeed& need : what.needs) op.received.insert(need.field->memory_id());
    op.halos.insert(op.received.begin(), op.received.end());
  };
  for (const PlannedOp& what : planned.ops) {
    ScriptOp op;
    if (const auto* sweep = std::get_if<PlannedSweep>(&what)) {
      op.halos = touched_halos(*sweep);
      exchange_of(*sweep, op);
      if (!bound) tasks.push_back(sweep->sweep->host_task(sweep->boxes));
      op.task = tasks[next++].get();
      op.name = sweep->sweep->name().c_str();
    } else if (const auto* refresh = std::get_if<PlannedRefresh>(&what)) {
      exchange_of(*refresh, op);
    } else if (const auto* sync = std::get_if<PlannedSync>(&what)) {
      op.syncs = sync->memories();
      op.name = "a synchronisation of fields";
    } else if (const auto* settlement = std::get_if<Settle>(&what)) {
      op.settlement = settlement->get();
      op.name = op.settlement->name().c_str();
    } else {
      const Swap& swap = std::get<Swap>(what);
      swap.a->swap(*swap.b);
      continue;
    }
    step.ops.push_back(std::move(op));
  }
  return step;
}

} // namespace tasuki
