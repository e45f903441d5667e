// The initial state of a replica from a crystal, computed on the host.
#pragma once

#include <apps/argon/physics/dynamics.hpp>

#include <cstdint>
#include <vector>

namespace tasuki::argon {

// The velocities of n atoms, x then y then z, nm/ps: Maxwell's distribution at a temperature (K), with random numbers
// of the replica's number; the total momentum is zero.
void draw_velocities(const Dynamics& dynamics, double mass, std::uint32_t number, double temperature, long n,
                     float* velocity);

// Coordinates of atoms, x then y then z, fractions of the box as in State.
std::vector<std::int64_t> crystal_places(const System& system);

} // namespace tasuki::argon
