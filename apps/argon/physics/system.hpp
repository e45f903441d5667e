// One replica's system: how many atoms in which box, and how far they feel each other.
#pragma once

#include <apps/argon/physics/substance.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tasuki::argon {

// What is done about the pairs beyond the cut-off: nothing; the energy shifted to 0 there; or the mean of what they
// would add (Frenkel and Smit, Understanding Molecular Simulation, eqs. 3.2.5 and 3.2.9).
enum class Correction { cut, shifted, tail };

enum class Start {
  fcc,   // a perfect crystal
  half,  // its lower half along z kept, the upper half melted
  liquid // all of it melted
};

struct SystemOptions {
  Substance substance;
  long atoms = 256; // 4 a^3
  double density_g_cm3 = 1.65;
  std::optional<double> cutoff_sigma; // none: 3, or half of the box's edge where that is less
  Correction correction = Correction::cut;
  bool constant_pressure = false; // the box breathes: a cut-off of none then stays below 0.45 of its edge
};

// Throws Error: atoms that fill no fcc box, a density at which neighbours of the crystal are closer than 0.8 sigma,
// a cut-off above half of the box's edge, parameters that are not above 0.
class System {
public:
  explicit System(const SystemOptions& options);

  const Substance& substance() const { return options_.substance; }
  long atoms() const { return options_.atoms; }
  int cells() const { return cells_; } // of the crystal along each edge
  double density_g_cm3() const { return options_.density_g_cm3; }
  double box_nm() const { return box_; } // edge of the cube
  double volume_nm3() const { return box_ * box_ * box_; }
  double cutoff_nm() const { return cutoff_; }
  Correction correction() const { return options_.correction; }
  bool constant_pressure() const { return options_.constant_pressure; }
  const std::string& note() const { return note_; } // where the cut-off is not 3 sigma, and why; else empty

  // What the tail adds to the energy (kJ/mol, all atoms) and to the pressure (bar) in a box of this volume.
  double tail_energy(double volume_nm3) const;
  double tail_pressure(double volume_nm3) const;
  double tail_energy() const { return tail_energy(volume_nm3()); }
  double tail_pressure() const { return tail_pressure(volume_nm3()); }
  double shift() const; // added to every pair inside of the cut-off, kJ/mol; 0 unless shifted

  // Places of the crystal's atoms as fractions of the box, x y z of each; z slowest, so that the first half of the
  // atoms is the lower half.
  std::vector<double> crystal() const;

  // Of kinetic energy: 2/3 of it in kJ/mol a degree of freedom, `degrees` of them, and of the virial, in K and bar.
  static double temperature(double kinetic, double degrees) { return 2 * kinetic / (degrees * kBoltzmann); }
  static double pressure(double kinetic, double virial, double volume) {
    return (2 * kinetic + virial) / (3 * volume) / kBarNm3;
  }

private:
  SystemOptions options_;
  int cells_ = 0;
  double box_ = 0, cutoff_ = 0;
  std::string note_;
};

} // namespace tasuki::argon
