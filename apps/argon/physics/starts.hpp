// Where atoms are at the start of a run, and how fast they go.
#pragma once

#include <apps/argon/physics/crystal.hpp>
#include <tasuki/device/device.hpp>

#include <cstdint>
#include <vector>

namespace tasuki::argon {

// Places of atoms, x then y then z, fractions of the box: the crystal, or what is left of it when it has been melted, from
// its middle on or all of it. The same for all replicas.
std::vector<std::int64_t> start_places(Device& device, const System& system, const Dynamics& dynamics,
                                       Start kind);

} // namespace tasuki::argon
