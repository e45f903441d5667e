// Plaquette and Polyakov loop against loops written out; what a gauge transformation leaves alone; damage found.
#include <apps/wilson/gauge/observables.hpp>
#include <apps/wilson/lattice/sites.hpp>
#include <tests/apps/wilson/fields.hpp>

#include <limits>

namespace tasuki::wilson {
namespace {

TEST(GaugeObservables, AreThoseOfLoopsWrittenOut) {
  if (test::world().size() > 1) GTEST_SKIP() << "the loops are of one rank";
  using P = test::PlainGauge;
  Gauge gauge(Lattice(test::world(), test::kUneven));
  set_weak(gauge, 0.7, test::seed());
  const P plain(gauge);
  double space = 0, time = 0, links = 0;
  std::complex<double> lines = 0;
  plain.each_site([&](const P::Site& n) {
    for (std::size_t mu = 0; mu < 4; ++mu) links += P::trace(plain.link(n, mu)).real();
    for (std::size_t mu = 0; mu < 4; ++mu)
      for (std::size_t nu = 0; nu < mu; ++nu) {
        const P::Matrix up = P::times(plain.link(n, mu), plain.link(P::next(n, mu), nu)),
                        down = P::times(plain.link(n, nu), plain.link(P::next(n, nu), mu));
        (mu == 3 ? time : space) += P::trace(P::times(up, P::adjoint(down))).real();
      }
    if (n[3] != 0) return;
    P::Matrix line = plain.link(n, 3);
    for (long t = 1; t < test::kUneven[3]; ++t) line = P::times(line, plain.link(P::next(n, 3, t), 3));
    lines += P::trace(line);
  });
  const double sites = 8 * 4 * 6 * 4;
  const Plaquette p = plaquette(gauge);
  EXPECT_NEAR(p.space, space / (9 * sites), 1e-13);
  EXPECT_NEAR(p.time, time / (9 * sites), 1e-13);
  EXPECT_NEAR(p.all, (space + time) / (18 * sites), 1e-13);
  EXPECT_LT(std::abs(polyakov(gauge) - lines / (3 * sites / test::kUneven[3])), 1e-13);
  EXPECT_NEAR(link_trace(gauge), links / (12 * sites), 1e-13);
}

TEST(GaugeObservables, AGaugeTransformationLeavesLoopsAlone) {
  const Lattice lattice(test::world(), test::kUneven);
  Gauge gauge(lattice);
  set_weak(gauge, 0.7, test::seed());
  const Plaquette before = plaquette(gauge);
  const std::complex<double> line = polyakov(gauge);
  const double trace = link_trace(gauge);
  SiteMatrices by(lattice);
  set_random(by, lattice, test::seed());
  transform(gauge, by);
  const Plaquette after = plaquette(gauge);
  EXPECT_NEAR(after.all, before.all, 1e-14);
  EXPECT_NEAR(after.space, before.space, 1e-14);
  EXPECT_NEAR(after.time, before.time, 1e-14);
  EXPECT_LT(std::abs(polyakov(gauge) - line), 1e-13);
  EXPECT_GT(std::abs(link_trace(gauge) - trace), 0.1); // which is not gauge invariant
  EXPECT_TRUE(check(gauge).within(1e-14));
}

TEST(GaugeObservables, SameBitsHoweverTheLatticeIsCut) {
  const std::vector<double> bits = test::same_bits_everywhere(test::kUneven, [](const Lattice& lattice) {
    Gauge gauge(lattice);
    set_weak(gauge, 0.5, 4);
    const Plaquette p = plaquette(gauge);
    const std::complex<double> line = polyakov(gauge);
    const GaugeCheck found = check(gauge);
    return std::vector<double>{p.all,
                               p.space,
                               p.time,
                               line.real(),
                               line.imag(),
                               link_trace(gauge),
                               found.unitarity.value,
                               found.determinant.value,
                               static_cast<double>(found.unitarity.site[0] + 8 * found.unitarity.site[1])};
  });
  if (test::has_written_bits()) { // whatever the number of ranks
    EXPECT_EQ(test::fingerprint(bits), 4986879283085959744u);
  }
}

// Adds x to a real of U_mu(n), on the rank that owns it.
void damage(Gauge& gauge, const std::array<long, 4>& n, int mu, int k, double x) {
  const Box sites = gauge.lattice().owned();
  std::vector<double> links = gauge.to_sites();
  bool mine = true;
  for (int a = 0; a < kAxes; ++a) mine = mine && n[a] >= sites.lo[a] && n[a] < sites.hi[a];
  if (mine) {
    long site = 0;
    for (int a = 3; a >= 0; --a) site = site * sites.extent(a) + n[a] - sites.lo[a];
    links[static_cast<std::size_t>((site * 4 + mu) * 18 + k)] += x;
  }
  gauge.from_sites(links);
}

TEST(GaugeObservables, DamageIsFoundAndNamed) {
  Gauge gauge(Lattice(test::world(), test::kUneven));
  set_weak(gauge, 0.2, test::seed());
  damage(gauge, {3, 1, 5, 2}, 2, 4, 0.001);
  GaugeCheck found = check(gauge);
  EXPECT_FALSE(found.within(1e-6));
  EXPECT_TRUE(found.within(0.1));
  EXPECT_EQ(found.unitarity.site, (std::array<long, 4>{3, 1, 5, 2}));
  EXPECT_EQ(found.unitarity.mu, 2);
  EXPECT_GT(found.unitarity.value, 1e-6);
  damage(gauge, {6, 0, 0, 3}, 1, 17, std::numeric_limits<double>::quiet_NaN());
  found = check(gauge);
  EXPECT_FALSE(found.within(1e300));
  EXPECT_TRUE(std::isnan(found.unitarity.value));
  EXPECT_TRUE(std::isnan(found.determinant.value));
  EXPECT_EQ(found.unitarity.site, (std::array<long, 4>{6, 0, 0, 3}));
  EXPECT_EQ(found.determinant.mu, 1);
  EXPECT_TRUE(std::isnan(plaquette(gauge).all));
}

} // namespace
} // namespace tasuki::wilson
