// The arguments of a kernel for a batch of replicas: addresses in device memory, and common parameters.
#pragma once

#include <apps/argon/engine/measured.hpp>
#include <apps/argon/physics/pair.hpp>
#include <apps/argon/physics/thermostats.hpp>

#include <cstdint>

namespace tasuki::argon {

// The numbers of a replica besides its atoms. They are the first numbers of its row of a field of doubles.
struct OwnNumbers {
  double edge; // of the box, nm
  Chain chain;
  static constexpr int kCount = 1 + 2 * Chain::kLinks;
};

// Rows of atoms, one row per replica; x, y and z are separate planes. own: null if replicas have no own numbers.
struct Batch {
  std::int64_t* place;
  float* velocity;
  double* own;
  long row, plane;
  const Conditions* conditions;
  const float* factors;         // for velocities, at the start of an interval
  const std::uint32_t* numbers; // of the replicas, over all ranks
  Measured* measured;

  TS_HD std::int64_t& place_of(long replica, int axis, int atom) const {
    return place[axis * plane + replica * row + atom];
  }
  TS_HD float& velocity_of(long replica, int axis, int atom) const {
    return velocity[axis * plane + replica * row + atom];
  }
};

// Parameters that are common to all replicas, and those of the interval.
struct Laws {
  Matter matter;
  Thermostat thermostat;
  double timestep, friction, coupling, degrees;
  double edge;        // if the volume is constant
  int barostat_every; // 0: none
  double barostat_step;
  std::uint64_t seed;
  float skin, wide_skin; // nm; of lists, and of the wide lists from which they are selected
  int list_room;         // entries per lane
  int frozen;            // atoms with lower numbers do not move
  bool factors;          // velocities are multiplied by factors
  std::uint64_t first_step;
  int steps;
};

} // namespace tasuki::argon
