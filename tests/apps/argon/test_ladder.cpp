// Ladders: what they refuse, their ends, and that an even one is even.
#include <apps/argon/exchange/ladder.hpp>
#include <tasuki/base/error.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

namespace tasuki::argon {
namespace {

TEST(Ladder, HasItsEnds) {
  for (const auto& made : {geometric(50, 250, 7), linear(50, 250, 7)}) {
    EXPECT_EQ(made.size(), 7u);
    EXPECT_EQ(made.front(), 50);
    EXPECT_EQ(made.back(), 250);
  }
  const std::vector<double> powers = geometric(1, 16, 5);
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(powers[i], std::pow(2, i), 1e-12);
  EXPECT_EQ(geometric(80, 160, 1), std::vector<double>{80});
}

TEST(Ladder, CountsPressuresFastest) {
  const Ladder ladder({100, 110, 120}, {1, 500});
  EXPECT_EQ(ladder.states(), 6);
  EXPECT_EQ(ladder.temperature(3), 110);
  EXPECT_EQ(ladder.pressure(3), 500);
  EXPECT_EQ(ladder.pressure(4), 1);
  EXPECT_NEAR(ladder.beta(5) * 120 * 8.31446261815324e-3, 1, 1e-15);
}

TEST(Ladder, RefusesWhatDoesNotIncrease) {
  EXPECT_THROW(Ladder({100, 100}), Error);
  EXPECT_THROW(Ladder({100, 120, 110}), Error);
  EXPECT_THROW(Ladder({}), Error);
  EXPECT_THROW(Ladder({0, 10}), Error);
  EXPECT_THROW(Ladder({-5, 10}), Error);
  EXPECT_THROW(Ladder({100, NAN}), Error);
  EXPECT_THROW(Ladder({100, 110}, {5, 2}), Error);
}

TEST(Ladder, IsReadFromAListOrAFile) {
  EXPECT_EQ(given("80, 90.5,100", "--temperatures"), (std::vector<double>{80, 90.5, 100}));
  const std::string name =
      "/tmp/tasuki-ladder-" + std::to_string(test::world().rank()) + "-" + std::to_string(test::seed());
  std::ofstream(name) << "80\n90.5 100\n";
  EXPECT_EQ(given(name, "--temperatures"), (std::vector<double>{80, 90.5, 100}));
  std::remove(name.c_str());
  EXPECT_THROW(given("80,warm", "--temperatures"), Error);
  EXPECT_THROW(given("", "--temperatures"), Error);
}

// Normal distributions of energy, as a constant heat capacity C has them: erfc(d / 2) of pairs that are drawn.
TEST(Ladder, DistanceTellsTheAcceptance) {
  const double heat = 200 * kBoltzmann; // kJ/mol/K: d is small against the number of degrees of freedom
  const Ladder ladder({100, 108});
  const double ba = ladder.beta(0), bb = ladder.beta(1), mean = heat * 8;
  test::Random random = test::random(3);
  std::normal_distribution<double> cold(0, std::sqrt(heat / kBoltzmann) * kBoltzmann * 100),
      hot(mean, std::sqrt(heat / kBoltzmann) * kBoltzmann * 108);
  double sum = 0;
  constexpr int kDraws = 100000;
  for (int k = 0; k < kDraws; ++k) sum += std::min(1.0, std::exp((ba - bb) * (cold(random) - hot(random))));
  EXPECT_NEAR(sum / kDraws, std::erfc(distance(ba, bb, 0, mean) / 2), 0.02);
  EXPECT_EQ(distance(ba, bb, 1, 0), 0);
}

// Where the distance of two temperatures is known: a heat capacity with a peak.
TEST(Ladder, SpacesEvenly) {
  const auto length = [](double t) { return 8 * std::log(t) + 3 * std::tanh((t - 120) / 4); };
  std::vector<double> ladder = geometric(80, 160, 24);
  const auto distances = [&] {
    std::vector<double> a;
    for (std::size_t i = 1; i < ladder.size(); ++i) a.push_back(length(ladder[i]) - length(ladder[i - 1]));
    return a;
  };
  const auto spread = [](const std::vector<double>& a) {
    return *std::max_element(a.begin(), a.end()) - *std::min_element(a.begin(), a.end());
  };
  const double before = spread(distances());
  ladder = even(ladder, distances());
  EXPECT_EQ(ladder.front(), 80);
  EXPECT_EQ(ladder.back(), 160);
  EXPECT_NO_THROW(Ladder{ladder});
  EXPECT_LT(spread(distances()), before / 3); // linear between old rungs, so not at once exact
  for (int again = 0; again < 8; ++again) ladder = even(ladder, distances());
  EXPECT_LT(spread(distances()), 1e-2 * before);
}

} // namespace
} // namespace tasuki::argon
