#include <tasuki/run/pass.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace tasuki {

namespace {

Box hull(Box a, const Box& b) {
  for (int k = 0; k < a.dims; ++k) {
    a.lo[k] = std::min(a.lo[k], b.lo[k]);
    a.hi[k] = std::max(a.hi[k], b.hi[k]);
  }
  return a;
}

} // namespace

std::vector<Box> without(const Box& box, const std::vector<Box>& parts) {
  std::vector<Box> left{box};
  for (const Box& part : parts) {
    std::vector<Box> rest;
    for (const Box& whole : left)
      for (const Box& piece : subtract(whole, part)) rest.push_back(piece);
    left = std::move(rest);
  }
  return left;
}

void Pass::Planes::add(long from, long to) {
  if (from >= to) return;
  const bool first = !touched();
  lo = first ? from : std::min(lo, from);
  hi = first ? to : std::max(hi, to);
}

Pass::Pass(const Fields& fields) : fields_(&fields), held_(fields.size()), memories_(fields.size()) {
  std::iota(held_.begin(), held_.end(), 0);
  for (std::size_t k = 0; k < fields.size(); ++k) memories_[k].id = fields[k]->memory_id();
}

int Pass::number_of(const FieldCore* field) const {
  const auto at =
      std::find_if(fields_->begin(), fields_->end(), [&](const auto& known) { return known.get() == field; });
  return static_cast<int>(at - fields_->begin());
}

void Pass::add(const PlannedSweep& planned) {
  const GridCore& grid = planned.sweep->grid();
  const int axis = grid.dims() - 1;
  const Width halo = grid.halo()[axis];
  const long end = grid.layout().extents[axis];
  PlaneUses uses;
  for (const Access& access : planned.sweep->accesses()) {
    if (access.kind == Access::Kind::reduce) reductions_.insert(access.reduction);
    if (!access.field) continue;
    const bool reads = access.kind != Access::Kind::write, writes = access.kind != Access::Kind::read;
    const PlaneUse use{held_[static_cast<std::size_t>(number_of(access.field.get()))],
                       reads ? access.shape.width[axis] : Width(), reads, writes};
    uses.push_back(use);
    Memory& memory = memories_[static_cast<std::size_t>(use.memory)];
    // With a codec, halos have components that no sweep writes.
    if (!memory.met && !reads && !access.field->codec()) memory.fresh = planned.boxes;
    memory.met = true;
    for (const Box& box : planned.boxes) {
      if (box.empty()) continue;
      const long from = std::max<long>(box.lo[axis] - use.reach.lo, -halo.lo),
                 to = std::min(box.hi[axis] + use.reach.hi, end + halo.hi);
      memory.used.add(from, to);
      all_.add(from, to);
      if (!writes) continue;
      memory.written.add(box.lo[axis], box.hi[axis]);
      memory.bounds = memory.bounds.dims == 0 ? box : hull(memory.bounds, box);
    }
  }
  skew_.add(uses);
  ops_.push_back({.sweep = &planned, .number = sweeps_++});
}

void Pass::add(const Swap& swap) {
  std::swap(held_[static_cast<std::size_t>(number_of(swap.a.get()))],
            held_[static_cast<std::size_t>(number_of(swap.b.get()))]);
  ops_.push_back({.swap = &swap});
}

void Pass::followed_by(const Pass& next, const std::set<int>& sent) {
  for (Memory& memory : memories_) {
    const auto later = std::find_if(next.memories_.begin(), next.memories_.end(),
                                    [&](const Memory& other) { return other.id == memory.id; });
    memory.dead = sent.count(memory.id) == 0 && later != next.memories_.end() &&
                  without(memory.bounds, later->fresh).empty();
  }
}

bool Pass::reduces_into_one_of(const SweepCore& sweep) const {
  return std::any_of(sweep.accesses().begin(), sweep.accesses().end(), [&](const Access& access) {
    return access.reduction && reductions_.count(access.reduction) > 0;
  });
}

} // namespace tasuki
