// The parameters of the Wilson-Dirac operator.
#pragma once

#include <array>
#include <cmath>

namespace tasuki::wilson {

// M = 1 - kappa H, or with the normalisation of a mass: M = (4 + m) - H/2 = (1 - kappa H) / (2 kappa).
enum class Norm { kappa, mass };

struct Action {
  double kappa = 0.12;
  // psi(n + L_mu) = exp(i pi phase_mu) psi(n): 0 periodic, 1 antiperiodic.
  std::array<double, 4> phase{};
  Norm norm = Norm::kappa;
  // Spatial hops have the weight nu / anisotropy; 2 kappa is then 1 / (1 + 3 nu / anisotropy + m).
  double anisotropy = 1, nu = 1;

  double space_weight() const { return nu / anisotropy; }
  double mass() const { return 1 / (2 * kappa) - 1 - 3 * space_weight(); }
  static double kappa_of_mass(double mass, double space_weight = 1) {
    return 1 / (2 * (1 + 3 * space_weight + mass));
  }
  bool real() const { // every phase factor is 1 or -1
    for (const double p : phase)
      if (p != std::floor(p)) return false;
    return true;
  }
};

} // namespace tasuki::wilson
