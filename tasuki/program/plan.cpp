#include <tasuki/base/agree.hpp>
#include <tasuki/program/plan.hpp>

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

} // namespace

Program::Program(Items items) : items_(std::make_shared<const Items>(std::move(items))) {
  for (const Item& item : *items_)
    if (const auto* sweep = std::get_if<Sweep>(&item.what)) check_reach(**sweep);
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
  for (const Item& item : items_) fires.push_back((number % item.period == 0) != item.others);
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
  return *steps_.emplace_back(plan(fires, from, before));
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
      step->ops.emplace_back(plan_sweep(*sweep, state));
    } else if (const auto* swap = std::get_if<Swap>(&what)) {
      const int a = index_of(swap->a.get()), b = index_of(swap->b.get());
      std::swap(state.validity[a], state.validity[b]);
      std::swap(state.memory[a], state.memory[b]);
      step->ops.emplace_back(*swap);
    } else if (const auto* refresh = std::get_if<Refresh>(&what)) {
      PlannedRefresh op;
      for (const auto& field : refresh->fields) {
        Depth full{field->grid().halo(), field->codec() ? 1 : field->grid().dims()};
        if (field->codec())
          for (Width& width : full.width) width = Width(std::min(width.lo, 1), std::min(width.hi, 1));
        op.needs.push_back({field, full});
        state.validity[index_of(field.get())].exchanged(full, field->grid().dims());
      }
      step->ops.emplace_back(std::move(op));
    } else if (const auto* settlement = std::get_if<Settle>(&what)) {
      step->ops.emplace_back(*settlement);
    } else {
      step->ops.emplace_back(PlannedCall{std::get<Call>(what), i, state});
    }
  }
  step->after = std::move(state);
  return step;
}

PlannedSweep Planner::plan_sweep(const Sweep& sweep, PlanState& state) const {
  const GridCore& grid = sweep->grid();
  const int dims = grid.dims();
  PlannedSweep op;
  op.sweep = sweep;

  // As far into the halo as the sweep could go if all that it reads were fresh.
  bool writes = false;
  Widths most_extension = grid.halo();
  for (const Access& access : sweep->accesses()) {
    writes = writes || access.kind == Access::Kind::write || access.kind == Access::Kind::update;
    if (access.field && access.field->codec()) most_extension = {}; // its halo holds no whole cells
    if (access.kind != Access::Kind::read) continue;
    for (int a = 0; a < dims; ++a) {
      most_extension[a].lo = std::min(most_extension[a].lo, grid.halo()[a].lo - access.shape.width[a].lo);
      most_extension[a].hi = std::min(most_extension[a].hi, grid.halo()[a].hi - access.shape.width[a].hi);
    }
  }
  bool extends = false;
  for (int a = 0; a < dims; ++a) {
    if (!writes || !grid.cut().exchanges(a)) most_extension[a] = Width(0);
    extends = extends || most_extension[a] != Width(0);
  }

  // Exchange what falls short, and with it, since a message goes anyway, whatever keeps the sweep out of the halo.
  const auto reach_of = [&](const Access& access) { // along axes that have a halo to speak of
    Depth reach{access.shape.width, access.shape.order};
    for (int a = 0; a < dims; ++a)
      if (!grid.cut().exchanges(a)) reach.width[a] = Width(0);
    return reach;
  };
  const auto is_input = [](const Access& a) {
    return a.kind == Access::Kind::read || a.kind == Access::Kind::update;
  };
  bool falls_short = false;
  for (const Access& access : sweep->accesses())
    if (is_input(access))
      falls_short = falls_short ||
                    !covers(state.validity[index_of(access.field.get())].depth(), reach_of(access), dims);
  if (falls_short)
    for (const Access& access : sweep->accesses()) {
      if (!is_input(access)) continue;
      Depth want = reach_of(access);
      if (extends) {
        for (int a = 0; a < dims; ++a) {
          want.width[a].lo += most_extension[a].lo;
          want.width[a].hi += most_extension[a].hi;
        }
        want.order = dims;
      }
      Validity& validity = state.validity[index_of(access.field.get())];
      if (covers(validity.depth(), want, dims)) continue;
      want = most(want, validity.depth());
      validity.exchanged(want, dims);
      op.needs.push_back({access.field, want});
    }

  // As far into the halo as what it reads is valid.
  Widths extension = most_extension;
  for (const Access& access : sweep->accesses()) {
    if (!is_input(access)) continue;
    const Depth depth = state.validity[index_of(access.field.get())].depth();
    const Depth reach = reach_of(access);
    for (int a = 0; a < dims; ++a) {
      const Width room(depth.width[a].lo - reach.width[a].lo, depth.width[a].hi - reach.width[a].hi);
      extension[a].lo = depth.order < dims ? 0 : std::clamp(room.lo, 0, extension[a].lo);
      extension[a].hi = depth.order < dims ? 0 : std::clamp(room.hi, 0, extension[a].hi);
    }
  }

  op.boxes = grid.local_parts(sweep->region(), extension);
  if (!op.needs.empty()) {
    // The interior is what reads no halo that is on its way, and changes no cell that is.
    Widths rim{};
    for (const Access& access : sweep->accesses())
      for (const HaloNeed& need : op.needs) {
        if (access.field != need.field) continue;
        rim = most({rim, 0}, reach_of(access)).width;
        if (access.kind != Access::Kind::update) continue;
        Depth sent{}; // the lower side's cells fill upper halos
        for (int a = 0; a < dims; ++a) sent.width[a] = Width(need.depth.width[a].hi, need.depth.width[a].lo);
        rim = most({rim, 0}, sent).width;
      }
    // Across an axis that is not cut a rank sends to itself, which is done before the interior: no rim there.
    const bool self = grid.world().settings().channel.empty(); // else another channel may be forced for it
    Widths within{};
    for (int a = 0; a < dims; ++a)
      within[a] = self && grid.cut().ranks[a] == 1 ? extension[a] : Width(-rim[a].lo, -rim[a].hi);
    const Box inside = grow(box_of(dims, grid.layout().extents), within);
    for (const Box& box : op.boxes) {
      const Box inner = intersect(box, inside);
      if (!inner.empty()) op.interior.push_back(inner);
      for (const Box& rest : subtract(box, inner)) op.rim.push_back(rest);
    }
  }

  for (const Access& access : sweep->accesses())
    if (access.kind == Access::Kind::write || access.kind == Access::Kind::update)
      state.validity[index_of(access.field.get())].written(sweep->region(), {extension, dims});
  return op;
}

std::shared_ptr<Exchange> Planner::exchange_for(const std::vector<HaloNeed>& needs, Turns turns) {
  Key key{turns, {}};
  for (const HaloNeed& need : needs) key.second.emplace_back(need.field->memory_id(), need.depth);
  for (const auto& [known, exchange] : exchanges_)
    if (known == key) return exchange;
  return exchanges_.emplace_back(key, std::make_shared<Exchange>(needs, turns)).second;
}

} // namespace tasuki
