#include <tasuki/space/core.hpp>

#include <tasuki/base/log.hpp>
#include <tasuki/base/reduce.hpp>
#include <tasuki/device/host_memory.hpp>
#include <tasuki/device/memory.hpp>
#include <tasuki/space/section.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace tasuki {

using namespace space;

namespace {

// Of userfaultfd: an array cut into more runs is watched as a whole, its own pages shown before they are touched.
constexpr std::size_t kMostRuns = 256;

void check_owner(const World& world, const std::string& name, int rank) {
  if (rank < 0 || rank >= world.size())
    throw Error(
        fmt::format("array '{}' has a part on rank {}, and there are {} ranks", name, rank, world.size()),
        "give another first rank, or fewer ranks");
}

long element_at(const Map& map, const std::string& name, long byte) {
  if (byte >= static_cast<long>(map.bytes()))
    throw Error("sms_owner is given an address behind the end of " + name, "give that of an element");
  return byte / static_cast<long>(map.element_bytes());
}

[[noreturn]] void refuse_to_end(const std::string& field) {
  throw Error("a space ends while field '" + field + "' lies in it", "declare the space before its fields");
}

} // namespace

Space::Core::Core(World& w)
    : world(w),
      range(w, w.settings().space_at, w.settings().space_size, w.settings().page),
      pages(range),
      arrays(range),
      home(range, w.node(), w.nodes()),
      ranks_of(static_cast<std::size_t>(w.nodes())) {
  for (int rank = 0; rank < w.size(); ++rank)
    ranks_of[static_cast<std::size_t>(w.node_of(rank))].push_back(rank);
  if (w.size() > 1)
    server.emplace(
        w, range, pages, arrays, home,
        [this](const char* notices, std::size_t bytes, std::uint64_t drops) { take(notices, bytes, drops); });
  const auto stray = [this](const void* at, bool write) {
    const auto byte = static_cast<std::uint64_t>(static_cast<const char*>(at) - range.view());
    if (arrays.find(byte / range.page_bytes()))
      return fmt::format("{} was {} by rank {} and is not there; preload it, or take --faults auto",
                         element(byte), write ? "written" : "read", world.rank());
    return fmt::format(
        "rank {} touched {}, an address of the space that is in no array; look for a wild pointer, or one "
        "into an array that was freed",
        world.rank(), at);
  };
  faults = make_faults(range, w.nodes() > 1 ? w.settings().faults : "none", stray);
  if (w.settings().races && w.nodes() == 1 && w.rank() == 0)
    std::fputs(
        "tasuki: --races compares what nodes wrote, and all ranks are of one node, whose memory they share: "
        "no race is seen; --subclusters 2 takes them for two\n",
        stderr);
  if (w.nodes() == 1) return;
  cache.emplace(range, pages, arrays, *faults, *server, w.settings().space_cache);
  if (faults->serves()) pager.emplace(range, arrays, *faults, *cache, *server, w.settings().space_report);
}

int Space::Core::own_process() { return static_cast<int>(getpid()); }

// Its parent's flags and messages would take it for a rank.
void Space::Core::expect_rank() const {
  if (own_process() != process)
    throw Error("a child of fork() synchronises a space: a forked child is no rank", "do it in its parent");
}

std::string Space::Core::element(std::uint64_t byte) const {
  const Array* const array = arrays.find(byte / range.page_bytes());
  if (!array) return fmt::format("{}", static_cast<const void*>(range.view() + byte));
  return array->element(byte - array->first * range.page_bytes());
}

std::vector<PageRun> Space::Core::pages_of(const Array& array, const std::vector<Bytes>& runs) const {
  std::vector<PageRun> all;
  for (const Bytes& run : space::pages_of(runs, range.page_bytes()))
    all.push_back({array.first + run.at, run.count});
  return all;
}

Space::Space(World& world) {
  const Doing now(world, "the making of a space");
  core_ = std::make_unique<Core>(world);
  barrier(world, "the other ranks to make a space");
  world.part<Live>().all.push_back(this);
}

Space::~Space() {
  if (unwinding()) return;
  if (!core_->fields.empty()) refuse_to_end(core_->fields.begin()->second);
  if (core_->world.settings().space_report && !core_->reported) std::fputs(report().c_str(), stderr);
  std::erase(core_->world.part<Live>().all, this);
  if (core_->devices) core_->devices->finish();
  barrier(core_->world, "the other ranks to end a space"); // nobody asks this rank for a page any more
}

std::vector<Space*> Space::of(World& world) { return world.part<Live>().all; }
World& Space::world() const { return core_->world; }
const char* Space::faults() const { return core_->faults->name(); }
bool Space::on_gpus(const void* address) const {
  return core_->on_devices(address) && core_->devices->device().cuda();
}
bool Space::has(const void* address) const {
  return core_->range.has(address) || (core_->devices && core_->devices->has(address));
}

void* Space::allocate(const Map& map, std::string name) {
  Core& core = *core_;
  const std::size_t page = core.range.page_bytes();
  const std::vector<Map::Run> runs = map.homes(page);
  std::uint64_t own = 0;
  for (const Map::Run& run : runs) {
    check_owner(core.world, name, run.home);
    if (run.home == core.world.rank()) own += run.count * page;
  }
  if (own > free_host_memory())
    throw Error(fmt::format("rank {}'s part of array '{}' has {}, and {} are free", core.world.rank(), name,
                            bytes_text(own), bytes_text(free_host_memory())),
                "make it smaller, or cut it over more nodes");
  Array& array = core.arrays.add(map, std::move(name));
  core.range.show(array.first, array.count);
  if (!core.remote()) return core.range.view_of(array.first);
  if (core.world.settings().races)
    for (const Map::Run& run : runs)
      if (run.home == core.world.rank()) core.home.watch(array.first + run.page, run.count);
  // Neighbouring runs of this node, or of others, are one.
  const auto ours = [&](const Map::Run& run) { return core.world.same_node(run.home, core.world.rank()); };
  std::vector<std::pair<PageRun, bool>> sides;
  for (const Map::Run& run : runs) {
    if (!sides.empty() && sides.back().second == ours(run))
      sides.back().first.count += run.count;
    else
      sides.push_back({{array.first + run.page, run.count}, ours(run)});
  }
  const bool whole = sides.size() > kMostRuns && std::string(core.faults->name()) == "uffd";
  if (whole) core.faults->watch(array.first, array.count);
  for (const auto& [run, own_side] : sides) {
    if (!own_side && !whole) core.faults->watch(run.first, run.count);
    if (own_side && whole) core.cache->show_own(run);
  }
  return core.range.view_of(array.first);
}

void Space::free(void* start) {
  Core& core = *core_;
  if (core.devices && core.devices->has(start)) return free_on_devices(start);
  Array& array = core.arrays.at(start, "sms_free");
  if (core.range.view_of(array.first) != start)
    throw Error("sms_free is given an address within " + array.name, "give the one that the array begins at");
  core.sync(true, false);
  core.home.unwatch(array.first, array.count);
  core.range.hide(array.first, array.count);
  core.faults->forget(array.first, array.count);
  core.arrays.end(array);
  const Ranks node = Ranks::of_node(core.world);
  barrier(node, "the ranks of the node to free an array");
  if (core.world.node_rank() == 0) core.range.release(array.first, array.count);
}

void Space::check(const Map& map, const std::vector<long>& extents, std::size_t element_bytes,
                  const std::string& name) {
  if (map.extents() != extents || map.element_bytes() != element_bytes)
    throw Error("array '" + name + "' and its map have other extents or elements",
                "make the map of the array's");
}

Map Space::bands(std::vector<long> extents, std::size_t element_bytes) const {
  std::vector<long> parts(extents.size(), 1);
  const int ranks = core_->world.size();
  if (!extents.empty()) parts[0] = std::min<long>(extents[0], ranks);
  return {std::move(extents), parts, element_bytes, 0, ranks};
}

int Space::owner(const void* element) const {
  if (const DeviceArray* const array = core_->on_devices(element))
    return array->map.owner(
        element_at(array->map, array->name, static_cast<const char*>(element) - array->start));
  const Array& array = core_->arrays.at(element, "sms_owner");
  return array.map.owner(
      element_at(array.map, array.name, static_cast<long>(core_->arrays.byte_of(array, element))));
}

Space::Placed Space::find(const void* address) const {
  if (const DeviceArray* const array = core_->on_devices(address))
    return {array->start, &array->map, array->name, core_->fields.count(array->start) > 0, true};
  const Array& array = core_->arrays.at(address, "a space");
  char* const start = core_->range.view_of(array.first);
  return {start, &array.map, array.name, core_->fields.count(start) > 0, false};
}

void Space::sync(bool drop) {
  const Doing now(core_->world, "a synchronisation of a space");
  core_->sync(drop, drop);
}

void Space::preload(const void* at, std::size_t bytes, bool write) {
  preload(at, {bytes}, {bytes}, 1, write, false);
}
void Space::hold(const void* at, std::size_t bytes, bool write) {
  preload(at, {bytes}, {bytes}, 1, write, true);
}

void Space::preload(const void* at, const std::vector<std::size_t>& whole,
                    const std::vector<std::size_t>& part, std::size_t element_bytes, bool write, bool keep) {
  Core& core = *core_;
  const DeviceArray* const there = core.on_devices(at);
  Array* const array = there ? nullptr : &core.arrays.at(at, "a preload");
  const std::uint64_t first = there ? static_cast<std::uint64_t>(static_cast<const char*>(at) - there->start)
                                    : core.arrays.byte_of(*array, at);
  const Map& map = there ? there->map : array->map;
  std::vector<Bytes> runs;
  if (whole.size() == 1 && element_bytes == 1 && whole == part) { // plain bytes
    runs = {{first, whole[0]}};
  } else {
    runs = section(whole, part, element_bytes, first);
  }
  if (const std::uint64_t all = map.bytes(); // the end may be beyond what 64 bits count
      !runs.empty() && (runs.back().at > all || runs.back().count > all - runs.back().at))
    throw Error(fmt::format("a section of {} bytes at byte {} ends behind the end of {}, which has {}",
                            runs.back().count, runs.back().at, there ? there->name : array->name, all),
                "let it end within its array");
  if (there)
    return core.devices->bring(*there, runs, write, keep ? DeviceCache::Keep::held : DeviceCache::Keep::once);
  if (!core.remote() || runs.empty()) return;
  const std::uint64_t fetched = core.cache->bring(core.pages_of(*array, runs), Why::section, write, keep);
  if (keep && fetched > 0)
    log_info(core.world, [&] {
      return fmt::format("a section of {} was not there, pages: {}; fetched, and kept up to date from now on",
                         array->name, fetched);
    });
}

} // namespace tasuki
