// The system of one replica: the number of atoms, the box, and the cut-off.
#pragma once

#include <apps/argon/physics/substance.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tasuki::argon {

// The treatment of pairs beyond the cut-off: none; the pair energy shifted to 0 there; or the mean of their
// contribution (Frenkel and Smit, Understanding Molecular Simulation, eqs. 3.2.5 and 3.2.9).
enum class Correction { cut, shifted, tail };

enum class Start {
  fcc,   // a perfect crystal
  half,  // the lower half along z is a crystal, the upper half melted
  liquid // melted
};

struct SystemOptions {
  Substance substance;
  long atoms = 256; // 4 a^3
  double density_g_cm3 = 1.65;
  std::optional<double> cutoff_sigma; // none: 3, or half of the box's edge if that is less
  Correction correction = Correction::cut;
  bool constant_pressure = false; // the box changes: a default cut-off then stays below 0.45 of its edge
};

// Throws Error for a number of atoms that fills no fcc box, a density at which neighbours of the crystal are closer
// than 0.8 sigma, a cut-off above half of the box's edge, or parameters that are not positive.
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
  const std::string& note() const { return note_; } // the reason for a cut-off other than 3 sigma, or empty

  // The tail correction of the energy (kJ/mol, all atoms) and of the pressure (bar) in a box of this volume.
  double tail_energy(double volume_nm3) const;
  double tail_pressure(double volume_nm3) const;
  double tail_energy() const { return tail_energy(volume_nm3()); }
  double tail_pressure() const { return tail_pressure(volume_nm3()); }
  double shift() const; // added to every pair within the cut-off, kJ/mol; 0 unless shifted

  // Coordinates of the crystal's atoms as fractions of the box, x y z of each; z slowest, so that the first half of the
  // atoms is the lower half.
  std::vector<double> crystal() const;

  // In K and bar: from the kinetic energy, 3/2 kT for three of the `degrees` of freedom, and from the virial.
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
