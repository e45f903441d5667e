// The layout of a replica's state: its own numbers, then coordinates of all atoms along x, y, z, then their velocities.
#pragma once

#include <apps/argon/engine/batch.hpp>

namespace tasuki::argon {

inline constexpr double kWholeBox = 0x1p32; // in units of a coordinate

struct StateParts {
  double* own;         // OwnNumbers: the box's edge first
  std::int64_t* place; // fractions of a box; of atom i along axis a at a * atoms + i
  float* velocity;     // nm/ps
};

inline std::size_t state_bytes(long atoms) {
  return OwnNumbers::kCount * sizeof(double) +
         static_cast<std::size_t>(3 * atoms) * (sizeof(std::int64_t) + sizeof(float));
}

inline StateParts parts_of(State& state, long atoms) {
  char* at = state.data();
  StateParts p{};
  p.own = reinterpret_cast<double*>(at);
  p.place = reinterpret_cast<std::int64_t*>(at + OwnNumbers::kCount * sizeof(double));
  p.velocity = reinterpret_cast<float*>(p.place + 3 * atoms);
  return p;
}

} // namespace tasuki::argon
