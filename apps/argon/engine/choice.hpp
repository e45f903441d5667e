// How an interval of a system is computed: over all pairs or by lists, and what its kernel is told. Numbers alone, no device.
//
//   const EngineChoice choice = choose_engine(system, dynamics, true);
//   Laws laws = laws_of(system, dynamics, choice);       // laws.first_step and laws.steps are the interval's
#pragma once

#include <apps/argon/engine/batch.hpp>
#include <tasuki/device/group/group_shape.hpp>

namespace tasuki::argon {

struct EngineChoice {
  bool lists = false;
  int list_room = 0;               // entries a lane
  double skin_nm = 0, wide_nm = 0; // beyond the cut-off: of lists, and of what they are chosen from
  GroupShape shape;                // of a group that works on a replica
};
EngineChoice choose_engine(const System& system, const Dynamics& dynamics, bool gpu);

// What kernels know of a system; steps are the interval's.
Laws laws_of(const System& system, const Dynamics& dynamics, const EngineChoice& choice);

} // namespace tasuki::argon
