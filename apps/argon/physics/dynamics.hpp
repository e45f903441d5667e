// How atoms move between two exchanges.
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

enum class Pairs { automatic, all, lists }; // all ordered pairs, or a list an atom of who is near

struct Dynamics {
  double timestep_ps = 0.004;
  Thermostat thermostat = Thermostat::langevin;
  double friction_per_ps = 1; // langevin
  double coupling_ps = 0.2;   // nose_hoover: its period; rescaling: its relaxation time
  int barostat_every =
      25; // steps from one change of volume that is tried to the next; constant pressure only
  double barostat_step =
      0;                 // largest change of ln V that is tried; 0: what a dense system of this size accepts
  double skin_sigma = 0; // lists reach this much beyond the cut-off; 0: chosen
  double wider_sigma =
      -1; // wide lists, of which lists are chosen, reach this much beyond that; 0: none; below: chosen
  Pairs pairs = Pairs::automatic;
  std::uint64_t seed = 1;

  // Of a replica of so many atoms: those that keep the whole's momentum have three less.
  double degrees(long atoms) const {
    return 3.0 * static_cast<double>(atoms) - (thermostat == Thermostat::langevin ? 0 : 3);
  }
};

} // namespace tasuki::argon
