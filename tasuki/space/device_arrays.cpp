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

// What kernels look up is one memory: what was missed, what it got, and the steps.
constexpr std::size_t kSpareAt = 64, kStepsAt = kSpareAt + Reach::kSpare;

constexpr std::uint64_t kMost = std::uint64_t{8} << 40;   // as many as drivers are known to grant
constexpr std::uint64_t kLeast = std::uint64_t{64} << 30; // of fewer a driver chooses the place

// As many as all devices have memory. Collective.
std::uint64_t bytes_of(Device& device) {
  const auto all = reduce_sum(device.world(), static_cast<std::uint64_t>(device.memory()));
  return std::clamp(std::bit_ceil(all), kLeast, kMost);
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

DeviceArrays::DeviceArrays(World& world, const char* begin, const char* end, Server* server)
    : DeviceArrays(world.part<Device>(), begin, end, bytes_of(world.part<Device>()), server) {}

DeviceArrays::DeviceArrays(Device& device, const char* begin, const char* end, std::uint64_t bytes,
                           Server* server)
    : device_(device), addresses_(device, bytes, candidates(begin, end, bytes)) {
  if (!server) return;
  cache_.emplace(device, addresses_, *server, [this](std::uint64_t step, bool there) { note(step, there); });
  barrier(device.world(), "the other ranks to answer for their devices");
}

void DeviceArrays::finish() noexcept {
  try {
    settle();
  } catch (const Error&) { // its memory is lost with it, and its next use reports the error
  }
}

void DeviceArrays::settle() {
  device_.synchronize();
  for (const auto& array : arrays_) {
    if (array->reach.bytes() == 0) continue;
    auto* const missed = reinterpret_cast<Missed*>(array->reach.data());
    if (!std::exchange(missed->taken, 0)) continue;
    const std::uint64_t byte = missed->byte;
    const int rank = device_.world().rank();
    if (byte >= array->map.bytes())
      throw Error(fmt::format("a kernel of rank {} touched element {} of {}, which has {}", rank,
                              byte / array->map.element_bytes(), array->name, array->map.elements()),
                  "stay within the array");
    throw Error(
        fmt::format("a kernel of rank {} touched {}[{}], which is another node's and not there", rank,
                    array->name, indices_text(array->map.extents(), array->map.element_bytes(), byte)),
        "preload it, or hold it");
  }
}

Reach DeviceArrays::reach(DeviceArray& array) {
  const std::size_t step = addresses_.step(), steps = array.bytes / step;
  if (array.reach.bytes() == 0) {
    array.reach = Buffer(device_, kStepsAt + steps, Memory::pinned);
    const World& world = device_.world();
    const auto first = static_cast<std::uint64_t>(array.start - addresses_.data()) / step;
    for (std::uint64_t k = 0; k < steps; ++k)
      array.reach.data()[kStepsAt + k] =
          world.same_node(array.map.home(k, step), world.rank()) || (cache_ && cache_->has(first + k));
  }
  char* const at = array.reach.data();
  return {reinterpret_cast<Missed*>(at), at + kSpareAt, reinterpret_cast<unsigned char*>(at + kStepsAt), step,
          array.map.bytes()};
}

void DeviceArrays::note(std::uint64_t step, bool there) {
  const char* const at = addresses_.data() + step * addresses_.step();
  DeviceArray* const array = find(at);
  if (array && array->reach.bytes() > 0)
    array->reach.data()[kStepsAt + static_cast<std::size_t>(at - array->start) / addresses_.step()] = there;
}

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

void check_reach(World& world, const std::string& array, bool takes_part,
                 const std::function<bool(int)>& reaches) {
  on_all(world, [&] {
    for (int rank = 0; takes_part && rank < world.size(); ++rank)
      if (world.same_node(rank, world.rank()) && !reaches(world.node_rank_of(rank)))
        throw Error(
            fmt::format("array '{}' is to lie over the GPUs of a node, and those of ranks {} and {} do not "
                        "reach each other's memory",
                        array, world.rank(), rank),
            "take one GPU a node, GPUs that are joined, or memory of the host");
  });
}

DeviceArray& DeviceArrays::add(const Map& map, const std::string& name) {
  World& world = device_.world();
  const std::size_t step = addresses_.step();
  std::vector<SharedRange::Piece> mine;
  std::size_t own = 0;
  bool here = false, elsewhere = false; // whether this node has some of it, and whether others have
  for (const Map::Run& run : map.homes(step)) {
    const bool ours = world.same_node(run.home, world.rank());
    (ours ? here : elsewhere) = true;
    if (run.home != world.rank()) continue;
    mine.push_back({run.page * step, (run.page + run.count) * step});
    own += run.count * step;
  }
  check_reach(world, name, here,
              [&](int node_rank) { return !device_.cuda() || device_.reaches(node_rank); });
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
  costs_.push_back(std::make_unique<DeviceCost>());
  costs_.back()->name = name;
  costs_.back()->bytes = map.bytes();
  array->counts = &costs_.back()->counts;
  array->start = addresses_.data() + place_for(array->bytes, name);
  if (here)
    array->memory = std::make_unique<SharedRange>(
        device_, array->bytes, mine,
        SharedRange::Place{array->start, fmt::format("rank {}'s part of array '{}'", world.rank(), name),
                           elsewhere});
  if (world.nodes() > 1) barrier(world, "the other nodes to make an array");
  const auto behind = std::upper_bound(arrays_.begin(), arrays_.end(), array->start,
                                       [](const char* at, const auto& other) { return at < other->start; });
  return **arrays_.insert(behind, std::move(array));
}

void DeviceArrays::free(const DeviceArray& array) {
  const std::size_t step = addresses_.step();
  if (cache_)
    cache_->forget(static_cast<std::uint64_t>(array.start - addresses_.data()) / step, array.bytes / step);
  std::erase_if(arrays_, [&](const auto& one) { return one.get() == &array; });
}

void DeviceArrays::bring(const DeviceArray& array, const std::vector<Bytes>& runs, bool write,
                         DeviceCache::Keep keep) {
  if (!cache_) return;
  device_.use(); // by a thread of the program's own
  const World& world = device_.world();
  const std::size_t step = addresses_.step();
  const std::uint64_t first = static_cast<std::uint64_t>(array.start - addresses_.data()) / step;
  std::vector<DeviceCache::Wanted> wanted;
  for (const Bytes& run : pages_of(runs, step))
    for (std::uint64_t k = run.at; k < run.at + run.count; ++k)
      if (const int home = array.map.home(k, step); !world.same_node(home, world.rank()))
        wanted.push_back({first + k, home, array.counts});
  cache_->bring(wanted, write, keep);
}

DeviceArray* DeviceArrays::find(const void* at) const {
  for (const auto& array : arrays_)
    if (array->has(at)) return array.get();
  return nullptr;
}

} // namespace tasuki::space
