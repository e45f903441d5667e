// A batch of replicas as a kernel sees it: addresses in device memory, and what all of them have in common.
#pragma once

#include <apps/argon/engine/measured.hpp>
#include <apps/argon/physics/pair.hpp>
#include <apps/argon/physics/thermostats.hpp>

#include <cstdint>

namespace tasuki::argon {

// What a replica has beside its atoms. Lies in the first numbers of its row of a field of doubles.
struct OwnNumbers {
  double edge; // of the box, nm
  Chain chain;
  static constexpr int kCount = 1 + 2 * Chain::kLinks;
};

// Rows of atoms, one a replica; x, y and z apart by a plane. own: null where no replica has numbers of its own.
struct Batch {
  std::int64_t* place;
  float* velocity;
  double* own;
  long row, plane;
  const Conditions* conditions;
  const float* factors;         // of velocities, at the start of an interval
  const std::uint32_t* numbers; // over all ranks
  Measured* measured;

  TS_HD std::int64_t& place_of(long replica, int axis, int atom) const {
    return place[axis * plane + replica * row + atom];
  }
  TS_HD float& velocity_of(long replica, int axis, int atom) const {
    return velocity[axis * plane + replica * row + atom];
  }
};

// Of all replicas, and of the interval.
struct Laws {
  Matter matter;
  Thermostat thermostat;
  double timestep, friction, coupling, degrees;
  double edge;        // where it does not breathe
  int barostat_every; // 0: none
  double barostat_step;
  std::uint64_t seed;
  float skin, wide_skin; // nm; of lists, and of what they are chosen from
  int list_room;         // entries a lane
  int frozen;            // atoms of lower number stay where they are
  bool factors;          // of velocities are to be applied
  std::uint64_t first_step;
  int steps;
};

} // namespace tasuki::argon
