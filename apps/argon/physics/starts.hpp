// Where atoms are at the start of a run, and how fast they go.
#pragma once

#include <apps/argon/physics/dynamics.hpp>
#include <tasuki/device/device.hpp>

#include <cstdint>
#include <vector>

namespace tasuki::argon {

// Of n atoms, x then y then z, nm/ps: Maxwell's at a temperature (K), drawn by the replica's number; the whole stands
// still.
void draw_velocities(const Dynamics& dynamics, double mass, std::uint32_t number, double temperature, long n,
                     float* velocity);

// Places of atoms, x then y then z, fractions of the box: the crystal, or what is left of it when it has been melted, from
// its middle on or all of it. The same for all replicas.
std::vector<std::int64_t> start_places(Device& device, const System& system, const Dynamics& dynamics,
                                       Start kind);

} // namespace tasuki::argon
