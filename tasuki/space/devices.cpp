// What a space does for arrays over devices: they begin with the first one, and every synchronisation waits for them.
#include <tasuki/space/core.hpp>

#include <tasuki/base/digest.hpp>
#include <tasuki/base/reduce.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>

namespace tasuki {

using namespace space;

namespace {

std::uint64_t digest_of(const Map& map, const std::string& name) {
  Digest digest;
  digest.add(name).add(map.element_bytes()).add(static_cast<std::uint64_t>(map.first()));
  digest.add(static_cast<std::uint64_t>(map.ranks()));
  for (std::size_t a = 0; a < map.extents().size(); ++a)
    digest.add(static_cast<std::uint64_t>(map.extents()[a])).add(static_cast<std::uint64_t>(map.parts(a)));
  return digest.value();
}

} // namespace

DeviceArray* Space::Core::on_devices(const void* at) const { return devices ? devices->find(at) : nullptr; }

void* Space::allocate(const Map& map, std::string name, Memory where) {
  Core& core = *core_;
  if (where != Memory::device)
    throw Error("array '" + name + "' is asked for in pinned memory",
                "take Memory::device, or leave it out: memory of the host");
  for (const int rank : {map.first(), map.first() + map.ranks() - 1})
    if (rank < 0 || rank >= core.world.size())
      throw Error(fmt::format("array '{}' is put on ranks {} to {}, and there are {} ranks", name,
                              map.first(), map.first() + map.ranks() - 1, core.world.size()),
                  "give another first rank, or fewer ranks");
  const Doing now(core.world, "the making of an array over devices");
  const std::uint64_t digest = core.arrays.digest_with(digest_of(map, name));
  core.meet({}, digest, "makes an array over devices", [&]() -> Terms {
    return {{"array", fmt::format("'{}' of {} elements of {} bytes", name, fmt::join(map.extents(), " x "),
                                  map.element_bytes())},
            {"arrays made and freed", std::to_string(digest % 1000000)}};
  });
  if (!core.devices)
    core.devices.emplace(core.world, core.range.view(), core.range.view() + core.range.size(),
                         core.world.nodes() > 1 ? &*core.server : nullptr);
  const DeviceArray& array = core.devices->add(map, name);
  core.arrays.note(digest_of(map, name));
  return array.start;
}

Reach Space::reach(const void* array) {
  DeviceArray* const there = core_->on_devices(array);
  if (!there)
    throw Error("kernels are to reach an address that is in no array over devices",
                "make the array with Memory::device");
  return core_->devices->reach(*there);
}

void Space::free_on_devices(void* start) {
  Core& core = *core_;
  const DeviceArray* const array = core.on_devices(start);
  if (!array || array->start != start)
    throw Error(array ? "sms_free is given an address within " + array->name
                      : "sms_free is given an address that is in no shared array",
                "give the one that the array begins at");
  core.sync(false, false);
  core.arrays.note(~digest_of(array->map, array->name));
  core.devices->free(*array);
}

void Space::copy(void* to, const void* from, std::size_t bytes) {
  Core& core = *core_;
  if (bytes == 0) return;
  if (core.devices) core.devices->device().use(); // a thread of the program's own begins with the first GPU
  if (has(from)) preload(from, bytes);
  if (has(to)) preload(to, bytes, true);
  if (core.devices && core.devices->device().cuda())
    copy_to_host(core.devices->device(), to, from, bytes); // CUDA finds the direction from the addresses
  else
    std::memmove(to, from, bytes);
}

} // namespace tasuki
