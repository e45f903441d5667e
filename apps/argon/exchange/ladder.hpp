// The states of replicas: a ladder of temperatures, or a table of temperatures and pressures.
#pragma once

#include <apps/argon/physics/substance.hpp>

#include <string>
#include <vector>

namespace tasuki::argon {

// State s = t * pressures + p has temperature t and pressure p; without pressures s = t.
struct Ladder {
  std::vector<double> temperatures; // K, increasing
  std::vector<double> pressures;    // bar, increasing; empty: constant volume

  // Throws Error for an empty or decreasing list, a temperature that is not positive, or a value that is not finite.
  Ladder(std::vector<double> temperatures_K, std::vector<double> pressures_bar = {});

  int width() const { return pressures.empty() ? 1 : static_cast<int>(pressures.size()); }
  int states() const { return static_cast<int>(temperatures.size()) * width(); }
  double temperature(int state) const { return temperatures[static_cast<std::size_t>(state / width())]; }
  double pressure(int state) const { // 0 at constant volume
    return pressures.empty() ? 0 : pressures[static_cast<std::size_t>(state % width())];
  }
  double beta(int state) const { return 1 / (kBoltzmann * temperature(state)); } // mol/kJ
};

// T_i = low (high / low)^(i / (count - 1)): even acceptance if the heat capacity is constant.
std::vector<double> geometric(double low_K, double high_K, int count);
std::vector<double> linear(double low_K, double high_K, int count);
// "80,90.5,100", or the name of a file of numbers separated by blanks, commas or line ends. Throws Error with `option`.
std::vector<double> given(const std::string& text, const std::string& option);

// The distance of two neighbouring states: sqrt((beta_a - beta_b) (H_b - H_a)) of their inverse temperatures and mean
// energies (enthalpies at constant pressure); 0 if noise makes the square negative. For normally distributed energies
// a swap is accepted with probability erfc(d / 2) (Predescu et al., J. Chem. Phys. 120, 4119 (2004)); distances add up
// along a ladder. Means have less noise than acceptances, in particular if the acceptance is low.
double distance(double beta_a, double beta_b, double mean_a, double mean_b);

// A ladder with the same ends and the same number of temperatures at equal distances, from the distances between the
// given temperatures (one less), with ln T linear in the distance between two of them.
std::vector<double> even(const std::vector<double>& temperatures_K, const std::vector<double>& distances);

} // namespace tasuki::argon
