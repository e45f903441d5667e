// The Lennard-Jones system once more, in double, by two plain loops.
#pragma once

#include <apps/argon/engine/state.hpp>
#include <apps/argon/physics/system.hpp>

#include <cmath>
#include <random>
#include <vector>

namespace tasuki::argon::reference {

inline constexpr double kDoubt =
    3e-5; // nm; single precision and a step of differences see further than this nowhere

struct Reference {
  double energy = 0, virial = 0;
  double size = 0;                    // energies of pairs without their signs, summed
  double doubtful = 0;                // energies of pairs that are within kDoubt of the cut-off
  double doubtful_virial = 0;         // their virials: where the energy is shifted to 0 there, these are not
  std::vector<double> force;          // kJ/mol/nm, x y z an atom
  std::vector<double> doubtful_force; // kJ/mol/nm, an atom: what such pairs may add to any of its three
};

// x: nm, x y z an atom.
inline Reference of(const System& system, const std::vector<double>& x, double edge) {
  const Substance& s = system.substance();
  const long n = system.atoms();
  const double cut = system.cutoff_nm(), s6 = std::pow(s.sigma, 6);
  Reference r;
  r.force.resize(x.size());
  r.doubtful_force.resize(static_cast<std::size_t>(n));
  for (long i = 0; i < n; ++i)
    for (long j = i + 1; j < n; ++j) {
      double d[3], r2 = 0;
      for (long a = 0; a < 3; ++a) {
        d[a] = x[static_cast<std::size_t>(3 * i + a)] - x[static_cast<std::size_t>(3 * j + a)];
        d[a] -= edge * std::round(d[a] / edge);
        r2 += d[a] * d[a];
      }
      const double q = s6 / (r2 * r2 * r2), energy = 4 * s.epsilon * (q * q - q) + system.shift();
      const double f = 24 * s.epsilon * (2 * q * q - q) / r2;
      if (std::abs(std::sqrt(r2) - cut) < kDoubt) {
        r.doubtful += std::abs(energy);
        r.doubtful_virial += std::abs(f) * r2;
        for (const long k : {i, j}) r.doubtful_force[static_cast<std::size_t>(k)] += std::abs(f) * cut;
      }
      if (r2 >= cut * cut) continue;
      r.energy += energy;
      r.size += 4 * s.epsilon * (q * q + q);
      r.virial += f * r2;
      for (long a = 0; a < 3; ++a) {
        r.force[static_cast<std::size_t>(3 * i + a)] += f * d[a];
        r.force[static_cast<std::size_t>(3 * j + a)] -= f * d[a];
      }
    }
  return r;
}

// The crystal shaken by normal numbers of so many sigma, then moved as a whole, which cuts it elsewhere.
inline State shaken(const System& system, double by_sigma, std::mt19937_64& random) {
  const long n = system.atoms();
  State state(state_bytes(n));
  const StateParts p = parts_of(state, n);
  p.own[0] = system.box_nm();
  const std::vector<double> crystal = system.crystal();
  std::normal_distribution<double> normal(0, by_sigma * system.substance().sigma / system.box_nm());
  std::uniform_real_distribution<double> uniform(0, 1);
  const double all[3] = {uniform(random), uniform(random), uniform(random)};
  for (long i = 0; i < n; ++i)
    for (long a = 0; a < 3; ++a)
      p.place[a * n + i] = static_cast<std::int64_t>(
          (crystal[static_cast<std::size_t>(3 * i + a)] + all[a] + (by_sigma > 0 ? normal(random) : 0.0)) *
          kWholeBox);
  return state;
}

} // namespace tasuki::argon::reference
