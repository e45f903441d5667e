// Gauge fields in equilibrium, against what is known of them: at strong and weak coupling by expansion, between them by
// what others measured.
#include <apps/wilson/gauge/heatbath.hpp>
#include <apps/wilson/gauge/observables.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace tasuki::wilson {
namespace {

struct Mean {
  double value, error; // error from the means of ten stretches
};
Mean mean_plaquette(HeatBath& bath, const Gauge& gauge, long first, long sweeps, long over_relaxations) {
  double stretch[10] = {};
  for (long n = 0; n < sweeps; ++n) {
    thermalise(bath, first + n, first + n, over_relaxations);
    stretch[n * 10 / sweeps] += plaquette(gauge).all * 10 / static_cast<double>(sweeps);
  }
  Mean mean{0, 0};
  for (const double s : stretch) mean.value += s / 10;
  for (const double s : stretch) mean.error += (s - mean.value) * (s - mean.value) / 90;
  mean.error = std::sqrt(mean.error);
  return mean;
}

// One plaquette alone has <Re tr U / 3> = beta/18 + beta^2/216 - 5 beta^4/93312 + .., as an integral over SU(3) gives,
// and those around it add 4 (beta/18)^5 first: at beta = 1 beyond what is seen here. From random links.
TEST(Thermal, StrongCoupling) {
  Gauge gauge(Lattice(test::world(), {8, 8, 8, 8}));
  set_random(gauge, test::seed());
  HeatBath bath(gauge, {.beta = 1.0}, test::seed());
  thermalise(bath, 1, 5, 0);
  const Mean p = mean_plaquette(bath, gauge, 6, 40, 0);
  // Plaquettes are nearly independent: 1/18 is the variance of one.
  const double error = std::sqrt(1.0 / 18 / (6 * 4096 * 40));
  EXPECT_NEAR(p.value, 1.0 / 18 + 1.0 / 216 - 5.0 / 93312, 5 * error);
  EXPECT_LT(p.error, 3 * error);
}

// Anisotropic, still at strong coupling: each kind of plaquette has a beta of its own. What is left out of the series is
// 4e-5 at beta = 1.4.
TEST(Thermal, StrongAnisotropicCoupling) {
  Gauge gauge(Lattice(test::world(), {8, 8, 8, 8}));
  HeatBath bath(gauge, {.beta = 0.99, .anisotropy = std::sqrt(2.0)}, test::seed());
  thermalise(bath, 1, 10, 1);
  Plaquette mean;
  for (long n = 11; n <= 50; ++n) {
    thermalise(bath, n, n, 1);
    mean.space += plaquette(gauge).space / 40;
    mean.time += plaquette(gauge).time / 40;
  }
  const auto alone = [](double beta) {
    return beta / 18 + beta * beta / 216 - 5 * beta * beta * beta * beta / 93312;
  };
  const double error = std::sqrt(1.0 / 18 / (3 * 4096 * 40));
  EXPECT_NEAR(mean.space, alone(0.99 / std::sqrt(2.0)), 5 * error);
  EXPECT_NEAR(mean.time, alone(0.99 * std::sqrt(2.0)), 5 * error + 4e-5);
}

// At large beta links fluctuate as a free field does: each of 24 (V - 1) modes has 1/2 of the action, 6 V beta (1 - P).
// Constant fields have an action of fourth order instead: each of their 32 modes has 1/4 (Coste et al., Nucl. Phys. B262
// (1985) 67). The next two terms, 1.2 % and 0.06 % of it, are of an infinite lattice (Alles, Feo and Panagopoulos, Phys.
// Lett. B426 (1998) 361).
TEST(Thermal, WeakCoupling) {
  Gauge gauge(Lattice(test::world(), {4, 4, 4, 4}));
  const double beta = 50, cells = 256, sweeps = 200;
  HeatBath bath(gauge, {beta}, test::seed());
  thermalise(bath, 1, 60, 3);
  const Mean p = mean_plaquette(bath, gauge, 61, static_cast<long>(sweeps), 3);
  const double action = (24 * (cells - 1) / 2 + 32.0 / 4) / (6 * cells * beta);
  const double next = 1.2208 / (beta * beta) + 2.9606 / (beta * beta * beta);
  // The variance of the whole action is that of 24 V modes; sweeps are nearly independent.
  const double error = std::sqrt(24 * cells / 2) / (6 * cells * beta) / std::sqrt(sweeps);
  EXPECT_NEAR(1 - p.value, action + next, 6 * error);
}

// At beta = 6: 0.5937, as large lattices have it, from a cold start and from a hot one. What 8^4 has beside that, and
// the statistics of so few sweeps, are a fraction of what is allowed.
TEST(Thermal, BetaSix) {
  for (const bool hot : {false, true}) {
    Gauge gauge(Lattice(test::world(), {8, 8, 8, 8}));
    if (hot) set_random(gauge, test::seed());
    HeatBath bath(gauge, {.beta = 6.0}, test::seed() + hot);
    thermalise(bath, 1, 40, 3);
    const Mean p = mean_plaquette(bath, gauge, 41, 50, 2);
    EXPECT_NEAR(p.value, 0.5937, 0.0025) << (hot ? "hot" : "cold");
    EXPECT_LT(p.error, 0.001);
    EXPECT_TRUE(check(gauge).within(5e-15));
  }
}

} // namespace
} // namespace tasuki::wilson
