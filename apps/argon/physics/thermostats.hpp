// What holds a replica at its temperature. Kinetic energies and kT in kJ/mol, times in ps.
#pragma once

#include <apps/argon/physics/dynamics.hpp>
#include <apps/argon/physics/normal.hpp>

#include <cmath>

namespace tasuki::argon {

// Langevin, the O of BAOAB: v becomes keep * v + noise * normal.
struct Friction {
  float keep = 1, noise = 0;
};
TS_HD Friction friction_of(double friction_per_ps, double timestep, double kT, double mass) {
  const double keep = exp(-friction_per_ps * timestep);
  return {static_cast<float>(keep), static_cast<float>(sqrt((1 - keep * keep) * kT / mass))};
}

// A replica's own chain. Velocities are of the thermostats' positions, 1/ps; positions are kept for the conserved energy.
struct Chain {
  static constexpr int kLinks = 3;
  double position[kLinks], velocity[kLinks];
};

// Half a step of the chain (Martyna et al. 1996, the scheme of one step and no splitting): returns what velocities are
// multiplied with. kinetic: before; degrees: of freedom; period: of the thermostat.
TS_HD double advance_chain(Chain& c, double kinetic, double degrees, double kT, double period,
                           double timestep) {
  constexpr int last = Chain::kLinks - 1;
  const double w = 0.15915494309189535 * period,
               unit = kT * w * w; // mass of a link; the first has one a degree
  const double half = 0.5 * timestep, quarter = 0.5 * half, eighth = 0.5 * quarter;
  const auto mass = [&](int k) { return k == 0 ? degrees * unit : unit; };
  const auto push = [&](int k, double twice_kinetic) {
    return k == 0 ? (twice_kinetic - degrees * kT) / mass(0)
                  : (mass(k - 1) * c.velocity[k - 1] * c.velocity[k - 1] - kT) / mass(k);
  };
  c.velocity[last] += quarter * push(last, 2 * kinetic);
  for (int k = last - 1; k >= 0; --k) {
    const double drag = exp(-eighth * c.velocity[k + 1]);
    c.velocity[k] = (c.velocity[k] * drag + quarter * push(k, 2 * kinetic)) * drag;
  }
  const double factor = exp(-half * c.velocity[0]);
  for (int k = 0; k < Chain::kLinks; ++k) c.position[k] += half * c.velocity[k];
  const double after = 2 * kinetic * factor * factor;
  for (int k = 0; k < last; ++k) {
    const double drag = exp(-eighth * c.velocity[k + 1]);
    c.velocity[k] = (c.velocity[k] * drag + quarter * push(k, after)) * drag;
  }
  c.velocity[last] += quarter * push(last, after);
  return factor;
}

// The part of the conserved energy that is the chain's.
inline double chain_energy(const Chain& c, double degrees, double kT, double period) {
  const double w = 0.15915494309189535 * period, unit = kT * w * w;
  double energy = 0;
  for (int k = 0; k < Chain::kLinks; ++k) {
    const double mass = k == 0 ? degrees * unit : unit;
    energy += 0.5 * mass * c.velocity[k] * c.velocity[k] + (k == 0 ? degrees : 1.0) * kT * c.position[k];
  }
  return energy;
}

// A stream of words of one replica and step, in double.
class Draws {
public:
  TS_HD Draws(std::uint64_t seed, std::uint32_t replica, std::uint64_t step, Purpose purpose)
      : seed_(seed), replica_(replica), step_(step), purpose_(purpose) {}

  TS_HD double uniform() {
    const Words w = next();
    return unit_double(w.w[0], w.w[1]);
  }
  TS_HD double normal() {
    const Words w = next();
    return sqrt(-2 * log(unit_double(w.w[0], w.w[1]))) * cos(6.283185307179586 * unit_double(w.w[2], w.w[3]));
  }
  // Gamma-distributed, shape >= 1, scale 1 (Marsaglia and Tsang, ACM Trans. Math. Softw. 26, 363 (2000)).
  TS_HD double gamma(double shape) {
    const double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    while (true) {
      const double x = normal(), t = 1 + c * x, v = t * t * t;
      if (t > 0 && log(uniform()) < 0.5 * x * x + d - d * v + d * log(v)) return d * v;
    }
  }

private:
  TS_HD Words next() { return philox(counter_of(number_++, replica_, step_, purpose_), seed_); }
  std::uint64_t seed_;
  std::uint32_t replica_;
  std::uint64_t step_;
  Purpose purpose_;
  std::uint32_t number_ = 0;
};

inline constexpr int kRescaleEvery = 10; // steps

// Stochastic velocity rescaling (Bussi et al. 2007, eq. A7): what velocities are multiplied with after `time`.
TS_HD double rescaling_factor(Draws draws, double kinetic, double degrees, double kT, double relaxation,
                              double time) {
  const double c = exp(-time / relaxation),
               ratio = 0.5 * kT / kinetic; // of the wanted energy a degree to all
  const double r = draws.normal(), rest = 2 * draws.gamma(0.5 * (degrees - 1));
  const double square = c + (1 - c) * ratio * (r * r + rest) + 2 * r * sqrt(c * (1 - c) * ratio);
  return r + sqrt(c / ((1 - c) * ratio)) < 0 ? -sqrt(square) : sqrt(square);
}

} // namespace tasuki::argon
