// What every test has: one world, its device, and a seed that a failure prints.
#pragma once

#include <tasuki/base/world.hpp>
#include <tasuki/device/device.hpp>

#include <cstdint>

namespace tasuki::test {

World& world();
inline Device& device() { return world().part<Device>(); }

// The same on every rank: TASUKI_TEST_SEED, or a new one each run. The header line of the run prints it.
std::uint64_t seed();

} // namespace tasuki::test
