// The heat bath: what it draws, what over-relaxation leaves alone, and fields in equilibrium against what is known.
#include <apps/wilson/gauge/heatbath.hpp>
#include <apps/wilson/gauge/observables.hpp>
#include <apps/wilson/gauge/su2.hpp>
#include <tests/apps/wilson/fields.hpp>

#include <cmath>

namespace tasuki::wilson {
namespace {

TEST(Draws, LogarithmAndTurnAreThoseOfTheLibrary) {
  for (std::uint64_t word = 0; word < 0x100000000u; word += 0x10101u) {
    const double u = open_unit(static_cast<std::uint32_t>(word)), ln = std::log(u);
    EXPECT_NEAR(log_of_unit(u), ln, 4e-16 * std::max(1.0, -ln));
    double c = 0, s = 0;
    cos_sin_of_turn(static_cast<std::uint32_t>(word), c, s);
    const double turn = 6.28318530717958647692 * static_cast<double>(word) * 0x1p-32;
    EXPECT_NEAR(c, std::cos(turn), 1e-15);
    EXPECT_NEAR(s, std::sin(turn), 1e-15);
  }
}

// Weight exp(alpha b0) in SU(2)'s measure: <b0> = I2(alpha) / I1(alpha), <b0^2> = 1 - 3 <b0> / alpha, and no direction.
TEST(Draws, OfSu2HaveTheirMoments) {
  constexpr int kDraws = 100000;
  for (const double alpha : {1e-3, 0.3, 0.85, 0.87, 2.0, 9.0, 80.0}) {
    double sum[4] = {}, squares[4] = {};
    for (std::uint32_t n = 0; n < kDraws; ++n) {
      Quaternion b{};
      ASSERT_TRUE(draw(alpha, Draws(test::seed(), n, 1, Purpose::heat_bath, 0), 0, b));
      for (int k = 0; k < 4; ++k) {
        sum[k] += b.a[k] / kDraws;
        squares[k] += b.a[k] * b.a[k] / kDraws;
      }
      ASSERT_NEAR(b.a[0] * b.a[0] + b.a[1] * b.a[1] + b.a[2] * b.a[2] + b.a[3] * b.a[3], 1, 1e-14);
    }
    const double mean = std::cyl_bessel_i(2, alpha) / std::cyl_bessel_i(1, alpha),
                 square = 1 - 3 * mean / alpha;
    const double other = mean / alpha; // <bk^2>
    EXPECT_NEAR(sum[0], mean, 5 * std::sqrt((square - mean * mean) / kDraws)) << alpha;
    EXPECT_NEAR(squares[0], square, 5 * std::sqrt(square / kDraws) * std::min(1.0, 4 / alpha)) << alpha;
    for (int k = 1; k < 4; ++k) {
      EXPECT_NEAR(sum[k], 0, 5 * std::sqrt(other / kDraws)) << alpha;
      EXPECT_NEAR(squares[k], other, 5 * other * std::sqrt(2.0 / kDraws)) << alpha;
    }
  }
}

TEST(HeatBath, RefusesWhatWeighsNoField) {
  const Gauge gauge(Lattice(test::world(), {4, 4, 4, 4}));
  EXPECT_THROW(HeatBath(gauge, {.beta = -1}, 1), Error);
  EXPECT_THROW(HeatBath(gauge, {.beta = std::nan("")}, 1), Error);
  EXPECT_THROW(HeatBath(gauge, {.anisotropy = 0}, 1), Error);
}

TEST(HeatBath, OverRelaxationKeepsTheAction) {
  for (const double anisotropy : {1.0, 2.5}) {
    const Coupling coupling{5.7, anisotropy};
    Gauge gauge(Lattice(test::world(), {8, 4, 6, 4}));
    set_weak(gauge, 0.6, test::seed());
    HeatBath bath(gauge, coupling, 1);
    const double before = action(gauge, coupling), links = link_trace(gauge);
    bath.over_relax(3);
    EXPECT_NEAR(action(gauge, coupling) / before, 1, 1e-13);
    EXPECT_GT(std::abs(link_trace(gauge) - links), 1e-3);
    EXPECT_TRUE(check(gauge).within(5e-15));
  }
}

TEST(HeatBath, SameBitsHoweverTheLatticeIsCut) {
  const std::vector<double> bits = test::same_bits_everywhere({8, 4, 6, 4}, [](const Lattice& lattice) {
    Gauge gauge(lattice);
    HeatBath bath(gauge, {5.5, 1.2}, 99);
    thermalise(bath, 1, 3, 1);
    return test::whole(gauge);
  });
  if (test::has_written_bits()) { // whatever the number of ranks
    EXPECT_EQ(test::fingerprint(bits), 2667734585816954104u);
  }
}

// From where a field was left, in another bath: as if it had never been left. Another seed is another field.
TEST(HeatBath, GoesOnWhereItWasLeft) {
  const Lattice lattice(test::world(), {4, 4, 4, 6});
  const auto after = [&](std::uint64_t seed, bool in_two) {
    Gauge gauge(lattice);
    HeatBath bath(gauge, {}, seed);
    thermalise(bath, 1, in_two ? 2 : 4, 2);
    if (!in_two) return gauge.to_sites();
    Gauge other(lattice);
    other.from_sites(gauge.to_sites());
    HeatBath second(other, {}, seed);
    thermalise(second, 3, 4, 2);
    return other.to_sites();
  };
  EXPECT_TRUE(after(5, true) == after(5, false));
  EXPECT_FALSE(after(5, true) == after(6, true));
}

} // namespace
} // namespace tasuki::wilson
