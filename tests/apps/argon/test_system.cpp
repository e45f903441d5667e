#include <apps/argon/physics/system.hpp>
#include <tasuki/base/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

namespace tasuki::argon {
namespace {

TEST(System, ArgonAtItsDensity) {
  const System argon{SystemOptions{}};
  EXPECT_EQ(argon.atoms(), 256);
  EXPECT_NEAR(256 * 39.948 / 602.214076 / argon.volume_nm3(), 1.65, 1e-12);
  EXPECT_DOUBLE_EQ(argon.cutoff_nm(), 3 * 0.3405);
  EXPECT_TRUE(argon.note().empty());
  EXPECT_NEAR(argon.substance().time(), 2.189, 1e-3); // ps
}

TEST(System, EveryAtomOfTheCrystalHasTwelveNeighbours) {
  for (const long atoms : {32L, 108L, 256L, 2048L}) {
    SystemOptions options;
    options.atoms = atoms;
    const System system(options);
    const std::vector<double> x = system.crystal();
    ASSERT_EQ(x.size(), static_cast<std::size_t>(3 * atoms));
    const double near = 1.001 / (system.cells() * std::numbers::sqrt2);
    for (long i = 0; i < atoms; ++i) {
      int neighbours = 0;
      for (long j = 0; j < atoms; ++j) {
        double r2 = 0;
        for (long a = 0; a < 3; ++a) {
          const double d = x[static_cast<std::size_t>(3 * i + a)] - x[static_cast<std::size_t>(3 * j + a)];
          r2 += std::pow(d - std::round(d), 2);
        }
        neighbours += i != j && r2 < near * near;
      }
      ASSERT_EQ(neighbours, 12) << atoms << " atoms, atom " << i;
    }
  }
}

TEST(System, ShortensTheCutoffWhereTheBoxIsSmallAndSaysSo) {
  SystemOptions options;
  options.atoms = 108;
  const System system(options);
  EXPECT_DOUBLE_EQ(system.cutoff_nm(), system.box_nm() / 2);
  EXPECT_NE(system.note().find("half of the box's edge"), std::string::npos);
}

TEST(System, RefusesWhatCannotBe) {
  const auto refused = [](const std::function<void(SystemOptions&)>& change) {
    SystemOptions options;
    change(options);
    EXPECT_THROW(System{options}, Error);
  };
  refused([](SystemOptions& o) { o.atoms = 100; });
  refused([](SystemOptions& o) { o.atoms = 4; });
  refused([](SystemOptions& o) { o.atoms = 4 * 9 * 9 * 9; });
  refused([](SystemOptions& o) { o.density_g_cm3 = 6; }); // atoms inside each other
  refused([](SystemOptions& o) { o.density_g_cm3 = 0; });
  refused([](SystemOptions& o) { o.density_g_cm3 = NAN; });
  refused([](SystemOptions& o) { o.cutoff_sigma = 3.3; }); // the box's edge is 6.37 sigma
  refused([](SystemOptions& o) { o.cutoff_sigma = -1; });
  refused([](SystemOptions& o) { o.substance.sigma = 0; });
  refused([](SystemOptions& o) { o.substance.epsilon = -1; });
  refused([](SystemOptions& o) { o.substance.mass = 0; });
}

// Against the integrals of the pair from the cut-off on, at uniform density.
TEST(System, TheTailIsItsIntegral) {
  SystemOptions options;
  options.correction = Correction::tail;
  const System system(options);
  const Substance& s = system.substance();
  const double density = 256 / system.volume_nm3();
  double energy = 0, virial = 0; // of an atom; by the midpoint rule in 1/r
  constexpr int n = 200000;
  for (int i = 0; i < n; ++i) {
    const double q = (i + 0.5) / n / system.cutoff_nm(), r = 1 / q, dr = r * r / n / system.cutoff_nm();
    const double s6 = std::pow(s.sigma / r, 6);
    energy += 2 * std::numbers::pi * density * r * r * 4 * s.epsilon * (s6 * s6 - s6) * dr;
    virial += 2 * std::numbers::pi * density * r * r * 24 * s.epsilon * (2 * s6 * s6 - s6) * dr;
  }
  EXPECT_NEAR(system.tail_energy(), 256 * energy, 1e-6 * std::abs(256 * energy));
  const double pressure = 256 * virial / (3 * system.volume_nm3()) / kBarNm3;
  EXPECT_NEAR(system.tail_pressure(), pressure, 1e-6 * std::abs(pressure));
}

} // namespace
} // namespace tasuki::argon
