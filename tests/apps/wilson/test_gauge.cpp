// Gauge fields: in the order of files and back, where they start from, and the same bits however the lattice is cut.
#include <apps/wilson/gauge/observables.hpp>
#include <tests/apps/wilson/fields.hpp>

namespace tasuki::wilson {
namespace {

// A number that tells site, axis and place in the matrix.
double tag(const std::array<long, 4>& n, int mu, int k) {
  return static_cast<double>((((n[3] * 64 + n[2]) * 64 + n[1]) * 64 + n[0]) * 128 + mu * 18 + k);
}

TEST(Gauge, SitesGoThereAndBack) {
  const Lattice lattice(test::world(), test::kUneven);
  Gauge gauge(lattice);
  const Box sites = lattice.owned();
  std::vector<double> numbers;
  std::array<long, 4> n{};
  const auto each = [&](const auto& call) {
    for (n[3] = sites.lo[3]; n[3] < sites.hi[3]; ++n[3])
      for (n[2] = sites.lo[2]; n[2] < sites.hi[2]; ++n[2])
        for (n[1] = sites.lo[1]; n[1] < sites.hi[1]; ++n[1])
          for (n[0] = sites.lo[0]; n[0] < sites.hi[0]; ++n[0]) call();
  };
  each([&] {
    for (int k = 0; k < 72; ++k) numbers.push_back(tag(n, k / 18, k % 18));
  });
  gauge.from_sites(numbers);
  EXPECT_TRUE(gauge.to_sites() == numbers);
  for (int p = 0; p < 2; ++p)
    for (int mu = 0; mu < kAxes; ++mu) {
      const std::vector<double> planes = gauge.link(p, mu).to_host();
      long wrong = 0;
      each([&] {
        const auto place = place_of(sites, n);
        if (place.parity != p) return;
        for (int k = 0; k < 18; ++k)
          wrong +=
              planes[static_cast<std::size_t>(k * lattice.owned_sites() / 2 + place.cell)] != tag(n, mu, k);
      });
      EXPECT_EQ(wrong, 0) << "parity " << p << ", axis " << mu;
    }
  numbers.pop_back();
  EXPECT_THROW(gauge.from_sites(numbers), Error);
}

TEST(Gauge, UnitLinks) {
  const Gauge gauge(Lattice(test::world(), test::kUneven));
  const Plaquette p = plaquette(gauge);
  EXPECT_EQ(p.all, 1);
  EXPECT_EQ(p.space, 1);
  EXPECT_EQ(p.time, 1);
  EXPECT_EQ(polyakov(gauge), std::complex<double>(1, 0));
  EXPECT_EQ(link_trace(gauge), 1);
  EXPECT_EQ(check(gauge).unitarity.value, 0);
  EXPECT_EQ(check(gauge).determinant.value, 0);
}

// Haar's measure of SU(3): <tr U> = 0, <|tr U|^2> = 1, <(tr U)^3> = 1 (it takes three quarks to make a singlet),
// <|tr U|^4> = 2; and a plaquette of such links is one, so its real part / 3 has variance 1/18.
TEST(Gauge, RandomLinksAreEvenOverTheGroup) {
  if (test::world().size() > 1) GTEST_SKIP() << "statistics of one rank";
  Gauge gauge(Lattice(test::world(), {8, 8, 8, 8}));
  set_random(gauge, test::seed());
  EXPECT_TRUE(check(gauge).within(5e-15));
  const double links = 4 * 4096, plaquettes = 6 * 4096;
  EXPECT_NEAR(plaquette(gauge).all, 0, 5 * std::sqrt(1.0 / 18 / plaquettes));
  EXPECT_NEAR(link_trace(gauge), 0, 5 * std::sqrt(1.0 / 18 / links));
  const test::PlainGauge plain(gauge);
  double two = 0, four = 0;
  std::complex<double> one = 0, three = 0;
  plain.each_site([&](const auto& n) {
    for (std::size_t mu = 0; mu < 4; ++mu) {
      const auto tr = test::PlainGauge::trace(plain.link(n, mu));
      one += tr;
      two += std::norm(tr);
      three += tr * tr * tr;
      four += std::norm(tr) * std::norm(tr);
    }
  });
  // Variances: <|tr|^4> - 1, <|tr|^6> - 1 = 5, <|tr|^8> - 4 = 19.
  EXPECT_LT(std::abs(one / links), 5 / std::sqrt(links));
  EXPECT_NEAR(two / links, 1, 5 * std::sqrt(1 / links));
  EXPECT_LT(std::abs(three / links - 1.0), 5 * std::sqrt(5 / links));
  EXPECT_NEAR(four / links, 2, 5 * std::sqrt(19 / links));
}

// h has no direction of its own in the group, so <U> is a number c, and a plaquette of four such links has c^4 on
// average. c = 1 - width^2 <tr h^2> / 6 + .. = 1 - 2/3 width^2 + ..
TEST(Gauge, WeakLinks) {
  Gauge gauge(Lattice(test::world(), {8, 8, 8, 8}));
  set_weak(gauge, 0.1, test::seed());
  EXPECT_TRUE(check(gauge).within(5e-15));
  const double c = link_trace(gauge);
  EXPECT_NEAR(c, 1 - 2.0 / 3 * 0.01, 3e-4);
  EXPECT_NEAR(plaquette(gauge).all, std::pow(c, 4), 1e-3);
  set_weak(gauge, 0, test::seed());
  EXPECT_EQ(plaquette(gauge).all, 1);
  set_weak(gauge, 5, test::seed()); // halved often, squared as often
  EXPECT_TRUE(check(gauge).within(5e-15));
  EXPECT_THROW(set_weak(gauge, -1, 0), Error);
  EXPECT_THROW(set_weak(gauge, std::nan(""), 0), Error);
}

TEST(Gauge, SameBitsHoweverTheLatticeIsCut) {
  const std::vector<double> one = test::same_bits_everywhere(test::kUneven, [](const Lattice& lattice) {
    Gauge gauge(lattice);
    set_random(gauge, 17);
    std::vector<double> bits = test::whole(gauge);
    set_weak(gauge, 0.3, 18);
    SiteMatrices by(lattice);
    set_random(by, lattice, 19);
    transform(gauge, by);
    const std::vector<double> more = test::whole(gauge);
    bits.insert(bits.end(), more.begin(), more.end());
    return bits;
  });
  if (test::has_written_bits()) { // whatever the number of ranks
    EXPECT_EQ(test::fingerprint(one), 4654134962300876000u);
  }
  // And no two links are alike: every one has a draw of its own.
  std::vector<double> corners;
  for (std::size_t p = 0; p < 8 && !one.empty(); ++p)
    for (std::size_t cell = 0; cell < 8 * 4 * 6 * 4 / 2; ++cell)
      corners.push_back(one[p * 18 * 8 * 4 * 6 * 4 / 2 + cell]);
  std::sort(corners.begin(), corners.end());
  EXPECT_TRUE(std::adjacent_find(corners.begin(), corners.end()) == corners.end());
}

} // namespace
} // namespace tasuki::wilson
