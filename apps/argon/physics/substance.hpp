// The substance: a Lennard-Jones pair potential and a mass. Units in all of argon: nm, ps, g/mol, kJ/mol, K.
//
// The units are consistent: 1 g/mol (nm/ps)^2 = 1 kJ/mol, so no kernel needs a conversion.
#pragma once

namespace tasuki::argon {

inline constexpr double kBoltzmann = 0.00831446261815324; // kJ/mol/K (SI 2019: k N_A)
inline constexpr double kAvogadro = 602.214076;           // g/mol in a nm^3 per g/cm^3
inline constexpr double kBarNm3 = 0.0602214076;           // kJ/mol in a bar nm^3

struct Substance {
  double epsilon = 0.9661; // depth of the well, kJ/mol
  double sigma = 0.3405;   // where the pair's energy is 0, nm
  double mass = 39.948;    // g/mol

  double time() const; // sigma sqrt(m/epsilon), ps
  double reduced(double temperature_K) const { return kBoltzmann * temperature_K / epsilon; } // T*
};

} // namespace tasuki::argon
