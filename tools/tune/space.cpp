#include <tools/tune/space.hpp>

#include <tasuki/base/settings.hpp>
#include <tasuki/space/space.hpp>
#include <tools/tune/least.hpp>

#include <cstring>
#include <string>

namespace tasuki::tune {
namespace {

constexpr int kSyncs = 20;      // that are timed together
constexpr long kTouches = 32;   // likewise
constexpr long kPagesApart = 8; // and from the last to the first, so that none is fetched ahead

int first_of(const World& world, int node) {
  int rank = 0;
  while (world.node_of(rank) != node) ++rank;
  return rank;
}

} // namespace

SpaceConstants measure_space(World& world, bool quick) {
  Space space(world);
  const int times = quick ? 3 : 10;
  SpaceConstants constants;
  constants.synchronisation = least_of(world, times, [&] {
    const double begun = seconds();
    for (int k = 0; k < kSyncs; ++k) space.sync();
    return (seconds() - begun) / kSyncs;
  });
  if (world.nodes() == 1) return constants;

  const long page = static_cast<long>(world.settings().page);
  const long part = std::max((quick ? 2L : 64L) << 20, kTouches * kPagesApart * page);
  const int ranks = world.size();
  const std::vector<long> extents = {ranks, part};
  const auto bytes =
      space.array<char>(extents, space::Map(extents, {ranks, 1}, 1, 0, ranks), "what is fetched");
  std::memset(bytes.data() + world.rank() * part, 1, static_cast<std::size_t>(part));
  const bool reads = world.node_rank() == 0;
  const char* const there = bytes.data() + first_of(world, (world.node() + 1) % world.nodes()) * part;
  // Seconds of what a rank that reads does, once all copies are gone.
  const auto fetched = [&](const auto& read) {
    return least_of(world, times, [&] {
      space.sync(true);
      const double begun = seconds();
      if (reads) read();
      return seconds() - begun;
    });
  };
  if (std::string(space.faults()) != "none")
    constants.touch =
        fetched([&] {
          for (long k = kTouches - 1; k >= 0; --k)
            static_cast<void>(*static_cast<const volatile char*>(there + k * kPagesApart * page));
        }) /
        kTouches;
  const double one = fetched([&] { space.preload(there, static_cast<std::size_t>(page)); });
  const double all = fetched([&] { space.preload(there, static_cast<std::size_t>(part)); });
  constants.section = one;
  constants.section_bandwidth = static_cast<double>(part) / std::max(all - one, 0.1 * all);
  space.sync();
  return constants;
}

} // namespace tasuki::tune
