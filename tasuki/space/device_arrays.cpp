#include <tasuki/space/device_arrays.hpp>

#include <tasuki/base/on_all.hpp>
#include <tasuki/base/reduce.hpp>
#include <tasuki/device/memory.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace tasuki::space {
namespace {

constexpr std::uint64_t kLeast = std::uint64_t{64}
                                 << 30; // a driver that is asked for few addresses chooses their place

// As many as the devices of a node have memory. Collective.
std::uint64_t bytes_of(Device& device) {
  World& world = device.world();
  const auto node = reduce_sum(Ranks::of_node(world), static_cast<std::uint64_t>(device.memory()));
  return std::max(kLeast, std::bit_ceil(reduce_max(world, node)));
}

// Places to try: behind the range of the space, then where nothing else lies on x86-64 (docs/space.md).
std::vector<std::uintptr_t> candidates(const char* begin, const char* end, std::uint64_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(begin), last = reinterpret_cast<std::uintptr_t>(end);
  const std::uintptr_t behind = (last + kLeast - 1) / kLeast * kLeast;
  std::vector<std::uintptr_t> all = {behind,         behind + bytes, behind + 4 * bytes, 0x200000000000,
                                     0x180000000000, 0x100000000000, 0x400000000000,     0x480000000000};
  std::erase_if(all, [&](std::uintptr_t at) { return at < last && at + bytes > first; });
  return all;
}

} // namespace

DeviceArrays::DeviceArrays(World& world, const char* begin, const char* end)
    : DeviceArrays(world.part<Device>(), begin, end, bytes_of(world.part<Device>())) {}

DeviceArrays::DeviceArrays(Device& device, const char* begin, const char* end, std::uint64_t bytes)
    : device_(device), addresses_(device, bytes, candidates(begin, end, bytes)) {}

std::size_t DeviceArrays::place_for(std::size_t bytes, const std::string& name) const {
  std::size_t at = 0, most = 0;
  const auto fits = [&](std::size_t until) {
    most = std::max(most, until - at);
    return bytes <= until - at;
  };
  for (const auto& array : arrays_) {
    const auto first = static_cast<std::size_t>(array->start - addresses_.data());
    if (fits(first)) return at;
    at = first + array->bytes;
  }
  if (fits(addresses_.bytes())) return at;
  throw Error(
      fmt::format("array '{}' of {} does not fit: of the addresses over devices {} are left in one piece",
                  name, bytes_text(bytes), bytes_text(most)),
      "make it smaller, or free others");
}

void DeviceArrays::check_reach(const std::string& name, int node) const {
  World& world = device_.world();
  on_all(world, [&] {
    if (world.node() != node || !device_.cuda()) return;
    for (int rank = 0; rank < world.size(); ++rank)
      if (world.node_of(rank) == node && !device_.reaches(world.node_rank_of(rank)))
        throw Error(
            fmt::format("array '{}' is to lie over the GPUs of a node, and those of ranks {} and {} do not "
                        "reach each other's memory",
                        name, world.rank(), rank),
            "take one GPU a node, GPUs that are joined, or memory of the host");
  });
}

DeviceArray& DeviceArrays::add(const Map& map, const std::string& name) {
  World& world = device_.world();
  long parts = 1;
  for (std::size_t a = 0; a < map.extents().size(); ++a) parts *= map.parts(a);
  const int node = world.node_of(map.first());
  for (int k = 1; k < std::min<long>(parts, map.ranks()); ++k)
    if (const int other = world.node_of(map.first() + k); other != node)
      throw Error(
          fmt::format("array '{}' is to lie over the devices of ranks {} and {}, which are of nodes {} and "
                      "{}: no kernel reaches both",
                      name, map.first(), map.first() + k, node, other),
          "let one node have all of it, or take memory of the host");
  check_reach(name, node);

  const std::size_t step = addresses_.step();
  std::vector<SharedRange::Piece> mine;
  std::size_t own = 0;
  for (const Map::Run& run : map.homes(step))
    if (run.home == world.rank()) {
      mine.push_back({run.page * step, std::min<std::size_t>((run.page + run.count) * step, map.bytes())});
      own += run.count * step;
    }
  on_all(world, [&] {
    if (const std::size_t free = free_memory(device_); own > free)
      throw Error(fmt::format("rank {}'s part of array '{}' has {}, and {} are free on {}", world.rank(),
                              name, bytes_text(own), bytes_text(free), device_.name()),
                  "make it smaller, or cut it over more ranks");
  });

  auto array = std::make_unique<DeviceArray>();
  array->map = map;
  array->name = name;
  array->bytes = map.pages(step) * step;
  array->start = addresses_.data() + place_for(array->bytes, name);
  array->node = node;
  if (world.node() == node)
    array->memory = std::make_unique<SharedRange>(
        device_, map.bytes(), mine,
        SharedRange::Place{array->start,
                           "rank " + std::to_string(world.rank()) + "'s part of array '" + name + "'"});
  const auto behind = std::upper_bound(arrays_.begin(), arrays_.end(), array->start,
                                       [](const char* at, const auto& other) { return at < other->start; });
  return **arrays_.insert(behind, std::move(array));
}

void DeviceArrays::free(const DeviceArray& array) {
  std::erase_if(arrays_, [&](const auto& one) { return one.get() == &array; });
}

DeviceArray* DeviceArrays::find(const void* at) const {
  for (const auto& array : arrays_)
    if (array->has(at)) return array.get();
  return nullptr;
}

} // namespace tasuki::space
