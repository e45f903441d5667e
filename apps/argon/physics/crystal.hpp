// A replica at its start from a crystal: no device computes anything for it.
#pragma once

#include <apps/argon/physics/dynamics.hpp>

#include <cstdint>
#include <vector>

namespace tasuki::argon {

// Of n atoms, x then y then z, nm/ps: Maxwell's at a temperature (K), drawn by the replica's number; the whole stands
// still.
void draw_velocities(const Dynamics& dynamics, double mass, std::uint32_t number, double temperature, long n,
                     float* velocity);

// Places of atoms, x then y then z, fractions of the box as State has them.
std::vector<std::int64_t> crystal_places(const System& system);

} // namespace tasuki::argon
