// The integration of atoms between two exchanges.
#pragma once

#include <apps/argon/physics/system.hpp>

#include <cstdint>

namespace tasuki::argon {

enum class Thermostat {
  none,     // velocity Verlet: constant energy, for checks
  langevin, // BAOAB (Leimkuhler and Matthews, J. Chem. Phys. 138, 174102 (2013)), random numbers by counter
  nose_hoover, // a chain of three (Martyna, Tuckerman, Tobias and Klein, Mol. Phys. 87, 1117 (1996))
  rescaling // stochastic velocity rescaling (Bussi, Donadio and Parrinello, J. Chem. Phys. 126, 014101 (2007))
};

enum class Pairs { automatic, all, lists }; // all ordered pairs, or a neighbour list per atom

struct Dynamics {
  double timestep_ps = 0.004;
  Thermostat thermostat = Thermostat::langevin;
  double friction_per_ps = 1; // of langevin
  double coupling_ps = 0.2;   // nose_hoover: its period; rescaling: its relaxation time
  int barostat_every =
      25; // steps between two trials of a change of the volume; used at constant pressure only
  double barostat_step =
      0;                 // largest change of ln V in a trial; 0: as much as dense systems of this size accept
  double skin_sigma = 0; // lists reach this much beyond the cut-off; 0: automatic
  double wider_sigma =
      -1; // wide lists, from which lists are selected, reach this much farther; 0: none; negative: automatic
  Pairs pairs = Pairs::automatic;
  std::uint64_t seed = 1;

  // The degrees of freedom of a replica: three less if the total momentum is conserved.
  double degrees(long atoms) const {
    return 3.0 * static_cast<double>(atoms) - (thermostat == Thermostat::langevin ? 0 : 3);
  }
};

} // namespace tasuki::argon
