#include <tasuki/program/rules.hpp>

#include <algorithm>

namespace tasuki {
namespace {

// The reach along axes that have a halo.
Depth reach_of(const Decomposition& cut, const Use& use) {
  Depth reach = use.reach;
  for (int a = 0; a < cut.dims; ++a)
    if (!cut.exchanges(a)) reach.width[a] = Width(0);
  return reach;
}

// The largest extension into the halo if all fields that the sweep reads were valid in their whole halos.
Widths most_extension(const PlannedGrid& grid, const std::vector<Use>& uses) {
  Widths most = grid.direct ? Widths{} : grid.halo;
  for (const Use& use : uses) {
    if (use.codec) most = {};
    if (use.kind != Access::Kind::read) continue;
    for (int a = 0; a < grid.cut->dims; ++a) {
      most[a].lo = std::min(most[a].lo, grid.halo[a].lo - use.reach.width[a].lo);
      most[a].hi = std::min(most[a].hi, grid.halo[a].hi - use.reach.width[a].hi);
    }
  }
  const bool any_write = std::any_of(uses.begin(), uses.end(), [](const Use& use) { return use.writes(); });
  for (int a = 0; a < grid.cut->dims; ++a)
    if (!any_write || !grid.cut->exchanges(a)) most[a] = Width(0);
  return most;
}

// Fields with insufficient validity; if there are any, also fields that limit the extension, since messages are sent.
std::vector<Need> needs_of(const PlannedGrid& grid, const std::vector<Use>& uses, const Widths& extension,
                           std::vector<Validity>& state) {
  const int dims = grid.cut->dims;
  const auto valid = [&](const Use& use) -> Validity& { return state[static_cast<std::size_t>(use.field)]; };
  std::vector<Need> needs;
  const bool falls_short = std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
    return use.reads() && !covers(valid(use).depth(), reach_of(*grid.cut, use), dims);
  });
  if (!falls_short) return needs;
  const bool extends = std::any_of(extension.begin(), extension.begin() + dims,
                                   [](const Width& width) { return width != Width(0); });
  for (const Use& use : uses) {
    if (!use.reads()) continue;
    Depth want = reach_of(*grid.cut, use);
    if (extends) {
      for (int a = 0; a < dims; ++a) {
        want.width[a].lo += extension[a].lo;
        want.width[a].hi += extension[a].hi;
      }
      want.order = dims;
    }
    Validity& validity = valid(use);
    if (covers(validity.depth(), want, dims)) continue;
    want = most(want, validity.depth());
    validity.exchanged(want, dims);
    needs.push_back({use.field, want});
  }
  return needs;
}

// The extension into the halo that the present validities permit.
Widths extension_of(const PlannedGrid& grid, const std::vector<Use>& uses, Widths extension,
                    const std::vector<Validity>& state) {
  const int dims = grid.cut->dims;
  for (const Use& use : uses) {
    if (!use.reads()) continue;
    const Depth depth = state[static_cast<std::size_t>(use.field)].depth(), reach = reach_of(*grid.cut, use);
    for (int a = 0; a < dims; ++a) {
      const auto room = [&](int valid, int read, int most) {
        return depth.order < dims ? 0 : std::clamp(valid - read, 0, most);
      };
      extension[a].lo = room(depth.width[a].lo, reach.width[a].lo, extension[a].lo);
      extension[a].hi = room(depth.width[a].hi, reach.width[a].hi, extension[a].hi);
    }
  }
  return extension;
}

// The cells that read no halo in transit, and are not being sent.
Box interior_of(const PlannedGrid& grid, const std::vector<Use>& uses, const SweepPlan& plan) {
  const Decomposition& cut = *grid.cut;
  Depth rim{};
  for (const Use& use : uses)
    for (const Need& need : plan.needs) {
      if (use.field != need.field) continue;
      rim = most(rim, reach_of(cut, use));
      if (use.kind != Access::Kind::update) continue;
      Depth sent{}; // the cells at the lower side fill upper halos
      for (int a = 0; a < cut.dims; ++a)
        sent.width[a] = Width(need.depth.width[a].hi, need.depth.width[a].lo);
      rim = most(rim, sent);
    }
  const Box block = cut.block(grid.rank);
  Index extents{};
  for (int a = 0; a < cut.dims; ++a) extents[a] = block.extent(a);
  Widths within{};
  for (int a = 0; a < cut.dims; ++a)
    within[a] =
        grid.wraps_first && cut.ranks[a] == 1 ? plan.extension[a] : Width(-rim.width[a].lo, -rim.width[a].hi);
  // What this sweep writes neighbours may be reading, as deep as the halo, until they have come to the exchange.
  const int slowest = cut.dims - 1;
  if (grid.direct)
    within[slowest] = Width(std::min(within[slowest].lo, -grid.halo[slowest].hi),
                            std::min(within[slowest].hi, -grid.halo[slowest].lo));
  return grow(box_of(cut.dims, extents), within);
}

bool reaches(const Depth& depth, int axis) { return depth.width[axis] != Width(0); }

// Neighbours have met: none of them reads any longer what it read before.
void met(std::vector<Validity>& state) {
  for (Validity& validity : state)
    if (validity.everywhere() == Everywhere::in_use) validity.synced();
}

// An exchange along the slowest axis is a meeting: each of two neighbours has the other's flag, in one direction
// or the other, of all that it did before. Where there is none, one is put before cells that are in use are written.
void meet(const PlannedGrid& grid, const std::vector<Use>& uses, std::vector<Need>& needs,
          std::vector<Validity>& state) {
  const bool meets = std::any_of(needs.begin(), needs.end(),
                                 [&](const Need& need) { return reaches(need.depth, grid.cut->dims - 1); });
  if (meets) {
    met(state);
    return;
  }
  std::vector<int> written;
  for (const Use& use : uses)
    if (use.writes()) written.push_back(use.field);
  for (const Need& need : meeting_before(written, state)) needs.push_back(need);
}

} // namespace

std::vector<int> syncs_before(const PlannedGrid& grid, const std::vector<Use>& uses,
                              const std::vector<Validity>& state) {
  std::vector<int> fields;
  if (grid.direct) return fields; // neighbours meet at exchanges
  for (const Use& use : uses) {
    const Everywhere seen = state[static_cast<std::size_t>(use.field)].everywhere();
    const bool stale = use.kind == Access::Kind::anywhere && seen == Everywhere::stale;
    const bool in_use = use.writes() && seen == Everywhere::in_use;
    if (stale || in_use) fields.push_back(use.field);
  }
  return fields;
}

std::vector<Need> meeting_before(const std::vector<int>& written, std::vector<Validity>& state) {
  for (const int field : written) {
    const Validity& validity = state[static_cast<std::size_t>(field)];
    if (validity.everywhere() != Everywhere::in_use) continue;
    std::vector<Need> needs{{field, validity.depth()}};
    met(state);
    return needs;
  }
  return {};
}

SweepPlan plan_sweep(const PlannedGrid& grid, const PlannedUses& sweep, std::vector<Validity>& state) {
  SweepPlan plan;
  plan.syncs = syncs_before(grid, sweep.uses, state);
  for (const int field : plan.syncs) state[static_cast<std::size_t>(field)].synced();
  const Widths most = most_extension(grid, sweep.uses);
  plan.needs = needs_of(grid, sweep.uses, most, state);
  if (grid.direct) meet(grid, sweep.uses, plan.needs, state);
  plan.extension = extension_of(grid, sweep.uses, most, state);
  plan.boxes = local_parts(*grid.cut, grid.rank, sweep.region, plan.extension);
  if (!plan.needs.empty()) {
    const Box inside = interior_of(grid, sweep.uses, plan);
    for (const Box& box : plan.boxes) {
      const Box inner = intersect(box, inside);
      if (!inner.empty()) plan.interior.push_back(inner);
      for (const Box& rest : subtract(box, inner)) plan.rim.push_back(rest);
    }
  }
  for (const Use& use : sweep.uses)
    if (use.writes())
      state[static_cast<std::size_t>(use.field)].written(sweep.region, {plan.extension, grid.cut->dims});
    else if (use.kind == Access::Kind::anywhere)
      state[static_cast<std::size_t>(use.field)].read_anywhere();
    else if (grid.direct && reaches(reach_of(*grid.cut, use), grid.cut->dims - 1))
      state[static_cast<std::size_t>(use.field)].read_anywhere(); // by the neighbours, of this rank's cells
  return plan;
}

} // namespace tasuki
