#include <tasuki/base/agree.hpp>
#include <tasuki/base/log.hpp>
#include <tasuki/halo/boxes.hpp>
#include <tasuki/program/anywhere.hpp>
#include <tasuki/program/intent.hpp>
#include <tasuki/program/plan.hpp>
#include <tasuki/program/rules.hpp>

#include <algorithm>

namespace tasuki {
namespace {

std::string axis_name(int axis) {
  return axis < 4 ? std::string(1, "xyzt"[axis]) : "axis " + std::to_string(axis);
}

// A sweep must find what it reads: inside the grid along axes that end, inside the halo along the others.
void check_reach(const SweepCore& sweep) {
  const GridCore& grid = sweep.grid();
  for (const Access& access : sweep.accesses()) {
    if (access.kind != Access::Kind::read) continue;
    const bool beyond = std::any_of(access.shape.width.begin(), access.shape.width.end(),
                                    [](Width width) { return width.lo > 1 || width.hi > 1; });
    if (access.field->codec() && (beyond || access.shape.order > 1))
      throw Error("sweep '" + sweep.name() + "' reads '" + access.name +
                      "', which has a codec, more than a cell away or off two axes at once",
                  "read it with star(1), or give its field no codec");
    for (int a = 0; a < grid.dims(); ++a) {
      const Width reach = access.shape.width[a];
      const auto reads = [&](int by) {
        return "sweep '" + sweep.name() + "' reads '" + access.name + "' " + std::to_string(by) +
               " away along " + axis_name(a);
      };
      if (!grid.periodic(a) && !sweep.region().empty() &&
          (sweep.region().lo[a] < reach.lo || sweep.region().hi[a] + reach.hi > grid.extents()[a]))
        throw Error(reads(std::max(reach.lo, reach.hi)) + ", beyond the edge of the grid",
                    "run it over grid.inner(..), or make the axis periodic");
      if (grid.cut().wraps_at(a) && reach != Width(0) && !lies_by_rows(access.field->components()))
        throw Error(reads(std::max(reach.lo, reach.hi)) + ", where the grid wraps and has no halo",
                    "let only fields of more than " + std::to_string(kMostPlanes) +
                        " components be read there, or make the grid without .wraps");
      if (grid.cut().wraps_at(a) && std::max(reach.lo, reach.hi) > grid.extents()[a])
        throw Error(reads(std::max(reach.lo, reach.hi)) + ", more than once round the grid",
                    "use a larger extent");
      if (grid.cut().exchanges(a) && (reach.lo > grid.halo()[a].lo || reach.hi > grid.halo()[a].hi))
        throw Error(reads(std::max(reach.lo, reach.hi)) + " but the halo is " +
                        std::to_string(grid.halo()[a].lo) + " below and " +
                        std::to_string(grid.halo()[a].hi) + " above",
                    "give the grid a wider halo");
    }
  }
}

// A swap must not bring memory to a field that is read anywhere which cannot be read so.
void check_swaps(const Items& items) {
  std::vector<const FieldCore*> read;
  const auto known = [&](const std::shared_ptr<FieldCore>& field) {
    return std::find(read.begin(), read.end(), field.get()) != read.end();
  };
  for (const Item& item : items)
    if (const auto* sweep = std::get_if<Sweep>(&item.what))
      for (const Access& access : (*sweep)->accesses())
        if (access.kind == Access::Kind::anywhere && !known(access.field)) read.push_back(access.field.get());
  for (std::size_t before = 0; before != read.size();) {
    before = read.size();
    for (const Item& item : items) {
      const auto* swap = std::get_if<Swap>(&item.what);
      if (!swap || known(swap->a) == known(swap->b)) continue;
      const FieldCore &far = known(swap->a) ? *swap->a : *swap->b,
                      &other = known(swap->a) ? *swap->b : *swap->a;
      if (const auto missing = trouble_anywhere(other))
        throw Error("field '" + other.name() + "' is swapped with '" + far.name() +
                        "', which is read anywhere, and " + missing->why,
                    missing->mend);
      read.push_back(&other);
    }
  }
}

// For --log: what a step does, one after another.
std::string text_of(const PlannedStep& step) {
  std::string text;
  const auto exchange = [](const std::vector<HaloNeed>& needs) {
    std::string names;
    for (const HaloNeed& need : needs) names += (names.empty() ? "" : ", ") + need.field->name();
    return names.empty() ? names : "exchange of " + names;
  };
  const auto add = [&](const std::string& op) {
    if (!op.empty()) text += (text.empty() ? "" : "; ") + op;
  };
  for (const PlannedOp& op : step.ops) {
    if (const auto* sweep = std::get_if<PlannedSweep>(&op)) {
      add(exchange(sweep->needs));
      add("sweep " + sweep->sweep->name());
    } else if (const auto* refresh = std::get_if<PlannedRefresh>(&op)) {
      add(exchange(refresh->needs));
    } else if (const auto* sync = std::get_if<PlannedSync>(&op)) {
      std::string names;
      for (const auto& field : sync->fields) names += (names.empty() ? "" : ", ") + field->name();
      add("synchronisation of " + names);
    } else if (const auto* swap = std::get_if<Swap>(&op)) {
      add("swap of " + swap->a->name() + " and " + swap->b->name());
    } else if (const auto* settlement = std::get_if<Settle>(&op)) {
      add("settlement " + (*settlement)->name());
    } else {
      add("a call");
    }
  }
  return text.empty() ? "nothing" : text;
}

} // namespace

Program::Program(Items items) : items_(std::make_shared<const Items>(std::move(items))) {
  for (const Item& item : *items_)
    if (const auto* sweep = std::get_if<Sweep>(&item.what)) check_reach(**sweep);
  check_swaps(*items_);
  planner_ = std::make_shared<Planner>(*items_);
  for (const auto& field : planner_->fields()) {
    if (!grid_) grid_ = field->grid_ptr();
    if (field->grid_ptr() != grid_)
      throw Error("a program uses fields of two grids, '" + planner_->fields().front()->name() + "' and '" +
                      field->name() + "'",
                  "use one program a grid");
  }
  if (!grid_) throw Error("a program touches no field", "give it at least one sweep with a field");
}

Planner::Planner(const Items& items) : items_(items) {
  const auto add = [&](const std::shared_ptr<FieldCore>& field) {
    if (field && std::find(fields_.begin(), fields_.end(), field) == fields_.end()) fields_.push_back(field);
  };
  for (const Item& item : items) {
    if (const auto* sweep = std::get_if<Sweep>(&item.what))
      for (const Access& access : (*sweep)->accesses()) add(access.field);
    if (const auto* swap = std::get_if<Swap>(&item.what)) {
      add(swap->a);
      add(swap->b);
    }
    if (const auto* refresh = std::get_if<Refresh>(&item.what))
      for (const auto& field : refresh->fields) add(field);
  }
  digest_ = digest_of(terms_of(items));
}

Planner::~Planner() {
  if (!exchanges_.empty() && !unwinding()) agree(fields_.front()->grid().world(), "drops a program", {});
}

int Planner::index_of(const FieldCore* field) const {
  for (std::size_t i = 0; i < fields_.size(); ++i)
    if (fields_[i].get() == field) return static_cast<int>(i);
  return -1;
}

PlanState Planner::state() const {
  PlanState state;
  for (const auto& field : fields_) {
    state.validity.push_back(field->validity());
    state.memory.push_back(field->memory_id());
  }
  return state;
}

void Planner::set_state(const PlanState& state) const {
  for (std::size_t i = 0; i < fields_.size(); ++i) fields_[i]->validity() = state.validity[i];
}

std::vector<bool> Planner::firing(long number) const {
  std::vector<bool> fires;
  for (const Item& item : items_) fires.push_back(tasuki::fires(number, item.period, item.others));
  return fires;
}

PlannedStep& Planner::step(long number, PlannedStep* last) {
  const std::vector<bool> fires = firing(number);
  if (last)
    for (PlannedStep* next : last->next)
      if (next->fires == fires) return *next;
  PlannedStep& found = find(fires, 0, last ? last->after : state());
  if (last) last->next.push_back(&found);
  return found;
}

PlannedStep& Planner::rest_of(const PlannedStep& step, std::size_t item, const PlanState& now) {
  return find(step.fires, item, now);
}

PlannedStep& Planner::find(const std::vector<bool>& fires, std::size_t from, const PlanState& before) {
  for (const auto& step : steps_)
    if (step->from == from && step->fires == fires && step->before == before) return *step;
  PlannedStep& made = *steps_.emplace_back(plan(fires, from, before));
  log_debug(fields_.front()->grid().world(),
            [&] { return "plan " + std::to_string(steps_.size()) + " of a program: " + text_of(made); });
  return made;
}

std::unique_ptr<PlannedStep> Planner::plan(const std::vector<bool>& fires, std::size_t from,
                                           const PlanState& before) const {
  auto step = std::make_unique<PlannedStep>();
  step->fires = fires;
  step->from = from;
  step->before = before;
  PlanState state = before;
  for (std::size_t i = from; i < items_.size(); ++i) {
    if (!fires[i]) continue;
    const auto& what = items_[i].what;
    if (const auto* sweep = std::get_if<Sweep>(&what)) {
      plan_sweep(*sweep, *step, state);
    } else if (const auto* swap = std::get_if<Swap>(&what)) {
      const int a = index_of(swap->a.get()), b = index_of(swap->b.get());
      std::swap(state.validity[a], state.validity[b]);
      std::swap(state.memory[a], state.memory[b]);
      step->ops.emplace_back(*swap);
    } else if (const auto* refresh = std::get_if<Refresh>(&what)) {
      PlannedRefresh op;
      for (const auto& field : refresh->fields) {
        const Depth full = whole_halo(field->grid().halo(), field->grid().dims(), field->codec() != nullptr);
        op.needs.push_back({field, full});
        state.validity[index_of(field.get())].exchanged(full, field->grid().dims());
      }
      step->ops.emplace_back(std::move(op));
    } else if (const auto* settlement = std::get_if<Settle>(&what)) {
      step->ops.emplace_back(*settlement);
    } else {
      std::vector<int> in_use; // the call may write them
      for (std::size_t k = 0; k < fields_.size(); ++k)
        if (state.validity[k].everywhere() == Everywhere::in_use) in_use.push_back(static_cast<int>(k));
      if (planned_grid().direct) {
        PlannedRefresh op;
        for (const Need& need : meeting_before(in_use, state.validity))
          op.needs.push_back({fields_[static_cast<std::size_t>(need.field)], need.depth});
        if (!op.needs.empty()) step->ops.emplace_back(std::move(op));
      } else {
        plan_sync(in_use, *step, state);
      }
      step->ops.emplace_back(PlannedCall{std::get<Call>(what), i, state});
    }
  }
  step->after = std::move(state);
  return step;
}

PlannedGrid Planner::planned_grid() const {
  const GridCore& grid = fields_.front()->grid();
  const World& world = grid.world();
  // Where a channel is forced, what a rank sends itself may be a message like others.
  return {&grid.cut(), grid.halo(), world.rank(), world.settings().channel.empty(),
          grid.bands().any() && world.size() > 1};
}

void Planner::plan_sweep(const Sweep& sweep, PlannedStep& step, PlanState& state) const {
  const PlannedGrid grid = planned_grid();
  PlannedUses uses{sweep->region(), {}};
  for (const Access& access : sweep->accesses())
    if (access.field)
      uses.uses.push_back({access.kind,
                           index_of(access.field.get()),
                           {access.shape.width, access.shape.order},
                           access.field->codec() != nullptr});
  plan_sync(syncs_before(grid, uses.uses, state.validity), step, state);
  SweepPlan plan = tasuki::plan_sweep(grid, uses, state.validity);
  PlannedSweep op;
  op.sweep = sweep;
  for (const Need& need : plan.needs)
    op.needs.push_back({fields_[static_cast<std::size_t>(need.field)], need.depth});
  op.boxes = std::move(plan.boxes);
  op.interior = std::move(plan.interior);
  op.rim = std::move(plan.rim);
  step.ops.emplace_back(std::move(op));
}

std::shared_ptr<Exchange> Planner::exchange_for(const std::vector<HaloNeed>& needs, Turns turns) {
  Key key{turns, {}};
  for (const HaloNeed& need : needs) key.second.emplace_back(need.field->memory_id(), need.depth);
  for (const auto& [known, exchange] : exchanges_)
    if (known == key) return exchange;
  return exchanges_.emplace_back(key, std::make_shared<Exchange>(needs, turns)).second;
}

} // namespace tasuki
