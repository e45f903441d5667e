#include <tasuki/space/field.hpp>

#include <tasuki/base/on_all.hpp>
#include <tasuki/base/reduce.hpp>
#include <tasuki/device/memory.hpp>
#include <tasuki/device/pinned.hpp>
#include <tasuki/field/exchange_cost.hpp>
#include <tasuki/field/room.hpp>
#include <tasuki/space/core.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tasuki {

void Space::FieldMemories::sync() {
  const Doing now(core_.world, "a synchronisation of a space");
  core_.sync(false, false);
}

// The memory of a field: an array of bytes, of which each rank has a part. Parts are equally long and begin at pages, or at
// steps of the devices' memories.
class Space::FieldPart : public FieldMemory {
public:
  // Over the devices: those of the grid where these are GPUs that have room for it; `always`: whatever they are.
  FieldPart(Space& space, const MemoryWish& wish, bool always)
      : space_(space),
        device_(wish.device),
        skew_(static_cast<std::size_t>(wish.number % 16) * 256) { // see OwnMemory
    World& world = space.world();
    on_all(world, [&] { check(wish, always); });
    over_devices_ = always || wish.device.cuda();
    const std::size_t page = over_devices_ ? kDeviceStep : world.settings().page;
    const auto most = reduce_max(world, static_cast<std::uint64_t>(wish.bytes + skew_));
    part_ = (most + page - 1) / page * page;
    const int ranks = world.size();
    const space::Map map({ranks, static_cast<long>(part_)}, {ranks, 1}, 1, 0, ranks);
    Room& room = wish.device.part<Room>();
    if (!always) {
      MemoryWish whole = wish;
      whole.bytes = part_;
      outside_ = goes_outside(whole);
      over_devices_ = over_devices_ && !outside_;
    }
    if (over_devices_) {
      if (always && room.limited() && !room.holds(part_)) // else goes_outside() has asked
        throw Error(fmt::format("field '{}' of {} does not fit: the device has {} left", wish.field,
                                bytes_text(part_), bytes_text(room.free())),
                    "use a smaller grid or more ranks");
      start_ = static_cast<char*>(space.allocate(map, wish.field, Memory::device));
      share_ = Room::Share(room, part_);
      space.core_->fields.emplace(start_, wish.field);
      return;
    }
    start_ = static_cast<char*>(space.allocate(map, wish.field));
    if (outside_) on_all(world, [&] { pinned_ = PinnedPages(device_, of(world.rank()) - skew_, part_); });
    if (!outside_) share_ = Room::Share(room, part_);
    space.core_->fields.emplace(start_, wish.field);
    space.core_->arrays.at(start_, "a field").names = [name = wish.field, grid = wish.grid,
                                                       storage = wish.storage, part = part_,
                                                       skew = skew_](std::uint64_t byte) {
      const std::uint64_t in = byte % part;
      return space::cell_text(*grid, storage, name, static_cast<int>(byte / part), in > skew ? in - skew : 0);
    };
  }
  ~FieldPart() override {
    if (unwinding()) return;
    space_.core_->fields.erase(start_);
    try {
      if (over_devices_) space_.core_->devices->settle();
      if (outside_) device_.stream().synchronize(), device_.transfer().synchronize();
    } catch (const Error&) { // the device is lost, and its memory with it; its next use reports the error
      return;
    }
    pinned_ = {};
    space_.free(start_);
  }
  char* data() const override { return of(space_.world().rank()); }
  bool reached() const override { return !outside_; } // another rank's GPU has not pinned it
  bool outside() const override { return outside_; }
  char* peer(int node_rank) const override {
    const World& world = space_.world();
    for (const int rank : space_.core_->ranks_of[static_cast<std::size_t>(world.node())])
      if (world.node_rank_of(rank) == node_rank) return of(rank);
    return nullptr;
  }
  char* anywhere(int rank) const override {
    if (over_devices_ && !space_.world().same_node(rank, space_.world().rank())) keep_copy(rank);
    return of(rank);
  }
  CommonMemory* common() const override { return &space_.core_->field_memories; }

private:
  char* of(int rank) const { return start_ + part_ * static_cast<std::size_t>(rank) + skew_; }

  // No kernel reaches another node, and none waits for a page: a copy of its part, which synchronisations bring up to date.
  void keep_copy(int rank) const {
    Core& core = *space_.core_;
    const space::DeviceArray& array = *core.on_devices(start_);
    core.devices->bring(array, {{part_ * static_cast<std::size_t>(rank), part_}}, false,
                        space::DeviceCache::Keep::always);
  }

  void check(const MemoryWish& wish, bool over_devices) const {
    World& world = space_.world();
    if (&wish.device.world() != &world)
      throw Error("field '" + wish.field + "' has a grid of another world than its space",
                  "make both of one world");
    if (!over_devices) return;
    if (wish.device.cuda() != world.part<Device>().cuda())
      throw Error("field '" + wish.field + "' is to lie over GPUs, and its grid on the host",
                  "leave Memory::device out, or give the grid the world's device");
  }

  Space& space_;
  Device& device_;
  bool over_devices_ = false;
  bool outside_ = false; // in memory of the host, for want of room
  std::size_t skew_, part_ = 0;
  Room::Share share_;
  PinnedPages pinned_; // of its own part
  char* start_ = nullptr;
};

Space::operator MemorySource() { return memory(); }
MemorySource Space::memory() {
  return {"a space's",
          [this](const MemoryWish& wish) { return std::make_unique<FieldPart>(*this, wish, false); }, false};
}
MemorySource Space::memory(Memory where) {
  if (where != Memory::device)
    throw Error("fields of a space are asked for in pinned memory", "take Memory::device, or leave it out");
  return {"a space's, over devices",
          [this](const MemoryWish& wish) { return std::make_unique<FieldPart>(*this, wish, true); }, false};
}

Decomposition Space::cut_of(const void* array, int dims, const GridOptions& options) const {
  const Placed placed = find(array);
  const space::Map& map = *placed.map;
  if (map.extents().size() != static_cast<std::size_t>(dims))
    throw Error(fmt::format("array '{}' has {} axes, and a grid of {} is asked of it", placed.name,
                            map.extents().size(), dims),
                "ask for as many");
  const auto given = [](int ranks) { return ranks != 0; };
  if (!options.blocks.empty() ||
      std::any_of(options.ranks.values().begin(), options.ranks.values().end(), given))
    throw Error("a grid that is cut as array '" + placed.name + "' is was given ranks or blocks too",
                "leave them out");
  DecompositionRequest request;
  request.dims = dims;
  request.size = world().size();
  request.blocks.resize(static_cast<std::size_t>(dims));
  request.halo = options.halo.values();
  long parts = 1;
  for (int a = 0; a < dims; ++a) {
    const auto axis = static_cast<std::size_t>(dims - 1 - a); // of the array: slowest first
    const auto here = static_cast<std::size_t>(a);
    request.extents[here] = map.extents()[axis];
    request.ranks[here] = map.parts(axis);
    request.periodic[here] = options.periodic.values()[here];
    parts *= map.parts(axis);
    for (int part = 0; part < map.parts(axis); ++part)
      request.blocks[here].push_back(map.begin(axis, part + 1) - map.begin(axis, part));
  }
  if (parts != world().size() || map.first() != 0 || map.ranks() != world().size())
    throw Error(fmt::format("array '{}' is cut into {} parts for {} ranks from rank {} on, and a grid has a "
                            "block a rank of {}",
                            placed.name, parts, map.ranks(), map.first(), world().size()),
                "cut it into as many parts as there are ranks, from rank 0 on");
  return decompose(request, exchange_cost_host());
}

namespace space {

void copy(Space& space, void* array, std::size_t element_bytes, FieldCore& field, Way way) {
  const GridCore& grid = field.grid();
  const Space::Placed placed = space.find(array);
  const auto dims = static_cast<std::size_t>(grid.dims());
  std::vector<long> wanted;
  if (field.components() > 1) wanted.push_back(field.components());
  for (std::size_t a = dims; a-- > 0;) wanted.push_back(grid.extents()[a]);
  if (placed.map->extents() != wanted || placed.start != array)
    throw Error(fmt::format("array '{}' has {} elements, and field '{}' is of one of {}", placed.name,
                            fmt::join(placed.map->extents(), " x "), field.name(), fmt::join(wanted, " x ")),
                "copy between the same cells, the slowest axis of an array first");
  // The box of the array that is this rank's of the field, and what of it other nodes have.
  const Box owned = grid.owned();
  const auto planes = static_cast<std::size_t>(field.components());
  std::vector<std::size_t> whole(wanted.begin(), wanted.end()), part;
  if (planes > 1) part.push_back(planes);
  std::size_t first = 0;
  for (std::size_t a = dims; a-- > 0;) {
    part.push_back(static_cast<std::size_t>(owned.hi[a] - owned.lo[a]));
    first = first * static_cast<std::size_t>(grid.extents()[a]) + static_cast<std::size_t>(owned.lo[a]);
  }
  char* const start = placed.start + first * element_bytes;
  space.preload(start, whole, part, element_bytes, way == Way::to_array);

  const bool on_gpus = space.on_gpus(array);
  if (on_gpus && !grid.device().cuda())
    throw Error(
        fmt::format("array '{}' lies over GPUs, and field '{}' on the host", placed.name, field.name()),
        "give the field a grid on the world's device, or make the array without Memory::device");
  Device& device = on_gpus ? grid.device() : Device::host(grid.world());
  const bool dense = grid.device().cuda() && !on_gpus; // by way of the host
  std::vector<char> cells(dense ? static_cast<std::size_t>(owned.cells()) * planes * element_bytes : 0);
  if (dense && way == Way::to_array) field.read(cells.data());
  std::vector<CopyPair> pairs;
  const Box local = box_of(grid.dims(), grid.layout().extents);
  for (int k = 0; k < field.components(); ++k) {
    Strided of_field = field.strided(field.origin(), grid.layout(), local, k);
    if (dense) of_field = packed(of_field, cells.data() + k * of_field.bytes());
    Strided of_array = of_field;
    long stride = static_cast<long>(element_bytes);
    for (int a = 0; a < grid.dims(); ++a) {
      if (a > 0) of_array.stride[a - 1] = stride;
      stride *= grid.extents()[static_cast<std::size_t>(a)];
    }
    of_array.base = start + k * stride;
    if (way == Way::to_field)
      pairs.push_back({of_array, of_field});
    else
      pairs.push_back({of_field, of_array});
  }
  CopyPlan plan(device, std::move(pairs));
  if (!dense) grid.device().stream().synchronize();
  plan.enqueue(device.stream());
  device.stream().synchronize();
  if (dense && way == Way::to_field) field.write(cells.data());
  if (way == Way::to_field) field.validity().touched();
}

} // namespace space
} // namespace tasuki
