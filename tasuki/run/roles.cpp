#include <tasuki/run/roles.hpp>

#include <tasuki/device/signal/reach.hpp>

#include <algorithm>
#include <map>

namespace tasuki {

Roles roles_of(const March& march) {
  Roles roles;
  const auto& accesses = march.sweep->accesses();
  const GridCore& grid = march.sweep->grid();
  const auto add = [&](FieldCore* memory) {
    if (std::find(roles.slots.begin(), roles.slots.end(), memory) == roles.slots.end())
      roles.slots.push_back(memory);
  };
  int reductions = 0;
  for (std::size_t k = 0; k < accesses.size(); ++k) {
    const Access& access = accesses[k];
    if (access.kind == Access::Kind::reduce) {
      ++reductions;
      continue;
    }
    for (int a = 0; a < grid.dims(); ++a) {
      const int by = std::max(access.shape.width[a].lo, access.shape.width[a].hi);
      roles.reach[a] = std::max(roles.reach[a], by);
    }
    const bool changes = march.changes(march.memory[0][k]);
    if (access.field->element_bytes() % 4 != 0)
      roles.trouble = "field '" + access.name + "' has cells of odd bytes";
    if (access.field->codec()) roles.trouble = "field '" + access.name + "' has a codec";
    if (access.here && changes)
      roles.trouble = "field '" + access.name + "' is read in the cell itself and passed on by a swap";
    if (access.here)
      roles.fixed.push_back(k);
    else
      for (const auto& now : march.memory) add(now[k]);
    if (changes && access.kind == Access::Kind::read) roles.mailed.push_back(k);
  }
  for (const FieldCore* memory : roles.slots)
    if (memory->element_bytes() != roles.slots.front()->element_bytes())
      roles.trouble = "fields that change, or are read beyond the cell, differ in the bytes of a number";
  if (roles.slots.size() > kTiledSlots || roles.mailed.size() > kTiledMails ||
      accesses.size() > kTiledAccesses || reductions > kTiledReduces)
    roles.trouble = "it touches too many fields at once";
  return roles;
}

bool local_region(const SweepCore& sweep, TiledLaunch& launch) {
  const GridCore& grid = sweep.grid();
  const Box owned = grid.owned();
  for (int a = 0; a < grid.dims(); ++a) {
    const long lo = sweep.region().lo[a], hi = sweep.region().hi[a], n = grid.extents()[a];
    if (grid.periodic(a) && (lo != 0 || hi != n)) return false;
    launch.region_lo[a] = grid.periodic(a) ? -kTiledEndless : static_cast<int>(lo - owned.lo[a]);
    launch.region_hi[a] = grid.periodic(a) ? kTiledEndless : static_cast<int>(hi - owned.lo[a]);
  }
  return true;
}

TilingRequest tiling_request(const March& march, const Roles& roles, TiledKind kind) {
  const GridCore& grid = march.sweep->grid();
  TilingRequest request{.dims = grid.dims(), .reach = roles.reach, .limits = march.sweep->tiled_limits(kind)};
  for (int a = 0; a < request.dims; ++a) {
    const auto& at = grid.cut().offsets[a];
    for (std::size_t c = 0; c + 1 < at.size(); ++c)
      request.extents[a] = std::max(request.extents[a], at[c + 1] - at[c]);
    request.most_halo[a] = kTiledEndless / 4;
  }
  request.number_bytes = static_cast<int>(roles.slots.front()->element_bytes());
  for (const FieldCore* memory : roles.slots)
    request.slot_bytes += static_cast<int>(memory->element_bytes()) * memory->components();
  for (const std::size_t k : roles.fixed) {
    const FieldCore& field = *march.sweep->accesses()[k].field;
    const int bytes = static_cast<int>(field.element_bytes()) * field.components();
    request.fixed_bytes[kAllPinned] += bytes;
    if (field.components() > 1) request.fixed_bytes[kSomePinned] += bytes;
    // Where cells are computed redundantly, constant fields are read from the block's own halo.
    for (int a = 0; a < request.dims; ++a)
      if (grid.cut().exchanges(a) && roles.reach[a] > 0)
        request.most_depth =
            std::min(request.most_depth, 1 + std::min(grid.halo()[a].lo, grid.halo()[a].hi) / roles.reach[a]);
  }
  return request;
}

TiledLaunch lay_out(const March& march, const Roles& roles, const TilingChoice& choice) {
  TiledLaunch l;
  const GridCore& grid = march.sweep->grid();
  const int dims = grid.dims();
  local_region(*march.sweep, l);
  l.pinned = choice.pinned;
  l.depth = choice.depth;
  l.plane = grid.layout().plane;
  l.blocks = 1;
  TilingRequest sizes{.dims = dims, .reach = roles.reach};
  sizes.number_bytes = static_cast<int>(roles.slots.front()->element_bytes());
  for (int a = 0; a < dims; ++a) {
    const auto& at = grid.cut().offsets[a];
    for (std::size_t c = 0; c + 1 < at.size(); ++c)
      sizes.extents[a] = std::max(sizes.extents[a], at[c + 1] - at[c]);
    l.blocks *= choice.tiles[a];
    l.tiles[a] = choice.tiles[a];
    l.tile[a] = tile_cells(sizes, a, choice.tiles[a]);
    l.owned[a] = static_cast<int>(grid.layout().extents[a]);
    l.reach[a] = roles.reach[a];
    l.halo[a] = choice.depth * roles.reach[a];
    l.fixed_halo[a] = l.halo[a] - roles.reach[a];
    l.stride[a] = grid.layout().stride[a];
    l.origin[a] = grid.owned().lo[a];
    l.extent[a] = grid.extents()[a];
    l.wraps[a] = grid.periodic(a) && grid.cut().ranks[a] == 1;
  }
  const TileLayout near = tile_layout(sizes, choice.tiles, choice.depth, choice.depth);
  const TileLayout fixed = tile_layout(sizes, choice.tiles, choice.depth, choice.depth - 1);
  std::copy_n(near.stride.begin(), dims, l.near_stride);
  std::copy_n(fixed.stride.begin(), dims, l.fixed_stride);
  l.near_plane = near.plane;
  l.fixed_plane = fixed.plane;

  int bytes = 0;
  l.slots = static_cast<int>(roles.slots.size());
  for (int s = 0; s < l.slots; ++s) {
    const FieldCore& memory = *roles.slots[s];
    l.slot[s].element_bytes = static_cast<int>(memory.element_bytes());
    l.slot[s].components = memory.components();
    l.slot[s].offset = bytes;
    bytes += padded_bytes(static_cast<long>(near.plane) * l.slot[s].element_bytes * l.slot[s].components);
  }
  const auto& accesses = march.sweep->accesses();
  l.accesses = static_cast<int>(accesses.size());
  for (int k = 0; k < l.accesses; ++k) {
    const FieldCore* field = accesses[k].field.get();
    l.access[k].offset = -1;
    l.access[k].element_bytes = field ? static_cast<int>(field->element_bytes()) : 0;
    l.access[k].components = field ? field->components() : 0;
  }
  for (const std::size_t k : roles.fixed) {
    TiledAccess& access = l.access[k];
    if (choice.pinned == kNonePinned || (choice.pinned == kSomePinned && access.components == 1)) continue;
    access.offset = bytes;
    bytes += padded_bytes(static_cast<long>(fixed.plane) * access.element_bytes * access.components);
  }
  return l;
}

void name_memories(TiledLaunch& l, const March& march, const Roles& roles) {
  const auto& accesses = march.sweep->accesses();
  std::map<const FieldCore*, int> slot_of;
  for (std::size_t s = 0; s < roles.slots.size(); ++s) {
    l.slot[s].origin = roles.slots[s]->origin();
    slot_of[roles.slots[s]] = static_cast<int>(s);
  }
  l.phases = march.phases;
  for (std::size_t k = 0; k < accesses.size(); ++k) {
    const Access& access = accesses[k];
    for (int p = 0; p < march.phases; ++p) {
      const auto found = slot_of.find(march.memory[p][k]);
      l.access[k].slot[p] = access.field && found != slot_of.end() ? found->second : -1;
    }
    l.access[k].origin = access.field && l.access[k].slot[0] < 0 ? access.field->origin() : nullptr;
  }
}

std::vector<HaloNeed> fixed_needs(const March& march, int steps) {
  const GridCore& grid = march.sweep->grid();
  std::vector<HaloNeed> needs;
  const auto& accesses = march.sweep->accesses();
  for (std::size_t k = 0; k < accesses.size(); ++k) {
    if (!accesses[k].here) continue; // fields that are read at other cells are slots
    Depth need{.width = {}, .order = grid.dims()};
    bool any = false;
    for (int a = 0; a < grid.dims(); ++a) {
      if (!grid.cut().exchanges(a)) continue;
      int reach = 0;
      for (const Access& access : accesses)
        reach = std::max({reach, access.shape.width[a].lo, access.shape.width[a].hi});
      need.width[a] =
          Width(std::min(grid.halo()[a].lo, steps * reach), std::min(grid.halo()[a].hi, steps * reach));
      any = any || need.width[a] != Width(0);
    }
    if (!any || covers(accesses[k].field->validity().depth(), need, grid.dims())) continue;
    need = most(need, accesses[k].field->validity().depth());
    needs.push_back({accesses[k].field, need});
  }
  return needs;
}

std::shared_ptr<Exchange> exchange_at_once(Walk& walk, const std::vector<HaloNeed>& needs) {
  Device& device = walk.device();
  const bool reach = device.cuda() && device.part<Reach>().all();
  return walk.planner().exchange_for(needs, reach ? Turns::device : Turns::host);
}

void exchange_now(Walk& walk, const std::vector<HaloNeed>& needs) {
  if (needs.empty()) return;
  const auto exchange = exchange_at_once(walk, needs);
  const NamedRange range(walk.phases().ranges(), "exchange");
  exchange->whole(walk.device().stream());
  walk.count(exchange.get());
  for (const HaloNeed& need : needs) need.field->validity().exchanged(need.depth, need.field->grid().dims());
}

} // namespace tasuki
