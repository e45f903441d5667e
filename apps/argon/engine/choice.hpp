// The choice of the algorithm for a system (all pairs, or neighbour lists), and the kernel parameters. Needs no device.
//
//   const EngineChoice choice = choose_engine(system, dynamics, true);
//   Laws laws = laws_of(system, dynamics, choice);       // laws.first_step and laws.steps are the interval's
#pragma once

#include <apps/argon/engine/batch.hpp>
#include <tasuki/device/group/group_shape.hpp>

namespace tasuki::argon {

struct EngineChoice {
  bool lists = false;
  int list_room = 0;               // entries per lane
  double skin_nm = 0, wide_nm = 0; // beyond the cut-off: of lists, and of wide lists
  GroupShape shape;                // of the group of lanes that computes a replica
};
EngineChoice choose_engine(const System& system, const Dynamics& dynamics, bool gpu);

// The kernel parameters of a system; first_step and steps are set for each interval.
Laws laws_of(const System& system, const Dynamics& dynamics, const EngineChoice& choice);

} // namespace tasuki::argon
