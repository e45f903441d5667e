// What every test has: one world, its device, other worlds with other settings, and a seed that a failure prints.
#pragma once

#include <tasuki/base/gather.hpp>
#include <tasuki/base/world.hpp>
#include <tasuki/device/device.hpp>

#include <cstdint>
#include <memory>
#include <random>

namespace tasuki::test {

World& world();
inline Device& device() { return world().part<Device>(); }

// Another world of the same ranks, whose settings `change` has changed: a channel forced, an executor chosen.
// Collective.
template <class Change>
std::unique_ptr<World> world_with(const Change& change) {
  Settings settings = world().settings();
  change(settings);
  return std::make_unique<World>(0, nullptr, settings);
}

// A test that stops early stops everywhere. Collective.
inline bool any_rank(bool here) { return tasuki::any_rank(world(), here); }

// The same on every rank: TASUKI_TEST_SEED, or a new one each run. The header line of the run prints it.
std::uint64_t seed();

using Random = std::mt19937_64;
// The same numbers on every rank, others for each `stream`.
inline Random random(std::uint64_t stream = 0) { return Random(seed() * 0x9e3779b97f4a7c15u + stream); }
inline long pick(Random& random, long low, long high) { // low <= n <= high
  return std::uniform_int_distribution<long>(low, high)(random);
}

} // namespace tasuki::test
