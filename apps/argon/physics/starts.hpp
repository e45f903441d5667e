// The coordinates of atoms at the start of a run, and their velocities.
#pragma once

#include <apps/argon/physics/crystal.hpp>
#include <tasuki/device/device.hpp>

#include <cstdint>
#include <vector>

namespace tasuki::argon {

// Coordinates of atoms, x then y then z, fractions of the box: the crystal, or the crystal with its upper half or all
// of it melted. The same for all replicas.
std::vector<std::int64_t> start_places(Device& device, const System& system, const Dynamics& dynamics,
                                       Start kind);

} // namespace tasuki::argon
