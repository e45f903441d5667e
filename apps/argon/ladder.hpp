// The states that replicas hold: a ladder of temperatures, or a table of temperatures and pressures.
#pragma once

#include <apps/argon/substance.hpp>

#include <string>
#include <vector>

namespace tasuki::argon {

// State s = t * pressures + p has temperature t and pressure p; without pressures s is the rung t.
struct Ladder {
  std::vector<double> temperatures; // K, increasing
  std::vector<double> pressures;    // bar, increasing; empty: constant volume

  // Throws Error where there is none, one is not positive (a temperature) or finite, or they do not increase.
  Ladder(std::vector<double> temperatures_K, std::vector<double> pressures_bar = {});

  int width() const { return pressures.empty() ? 1 : static_cast<int>(pressures.size()); }
  int states() const { return static_cast<int>(temperatures.size()) * width(); }
  double temperature(int state) const { return temperatures[static_cast<std::size_t>(state / width())]; }
  double pressure(int state) const { // 0 at constant volume
    return pressures.empty() ? 0 : pressures[static_cast<std::size_t>(state % width())];
  }
  double beta(int state) const { return 1 / (kBoltzmann * temperature(state)); } // mol/kJ
};

// T_i = low (high / low)^(i / (count - 1)): even acceptance where the heat capacity does not change.
std::vector<double> geometric(double low_K, double high_K, int count);
std::vector<double> linear(double low_K, double high_K, int count);
// "80,90.5,100", or the name of a file with numbers apart by blanks, commas or lines. Throws Error naming `option`.
std::vector<double> given(const std::string& text, const std::string& option);

// A ladder of as many rungs and the same ends, spaced so that the acceptance between neighbours is even.
// `acceptance` is the mean probability of each pair of neighbours (count - 1), as a short run found it.
//
// The overlap of two normal distributions of energy is erfc(d / 2), where d is their thermodynamic distance (Kofke,
// J. Chem. Phys. 117, 6911 (2002); Predescu et al., J. Chem. Phys. 120, 4119 (2004)). Distances add up, so the rungs
// are put at equal distances, with ln T linear in the distance between two old rungs.
std::vector<double> even(const std::vector<double>& temperatures_K, const std::vector<double>& acceptance);

// d of erfc(d / 2) = acceptance, for acceptances of 1e-12 and more.
double thermodynamic_distance(double acceptance);

} // namespace tasuki::argon
