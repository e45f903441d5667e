// The exact sum by itself, number by number and through the bins of a host: against sums in wide integers, and at the
// ends of what a double holds.
#include <tasuki/device/exact_bins.hpp>
#include <tasuki/device/exact_sum.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace tasuki {
namespace {

using test::pick;
using test::Random;

constexpr double kMax = std::numeric_limits<double>::max(), kTiny = 0x1p-1074;

double one_by_one(const std::vector<double>& values) {
  ExactSum sum{};
  for (const double x : values) exact_split(x, [&](int k, long long amount) { sum.digit[k] += amount; });
  return exact_value(sum);
}

// In pieces of some numbers, by two objects that share them.
double by_bins(const std::vector<double>& values, long most_of_a_piece, int bins) {
  ExactBins some(bins), others(bins);
  ExactSum sum{};
  bool turn = false;
  for (std::size_t at = 0; at < values.size(); turn = !turn) {
    const auto n = std::min(static_cast<std::size_t>(most_of_a_piece), values.size() - at);
    double piece[ExactBins::kMostAtOnce];
    std::copy_n(&values[at], n, piece);
    (turn ? some : others).add(piece, static_cast<int>(n));
    at += n;
  }
  some.finish(sum.digit);
  others.finish(sum.digit);
  return exact_value(sum);
}

// All ways give the same bits, or none a number.
double exact(const std::vector<double>& values) {
  const double sum = one_by_one(values);
  for (const long piece : {1, 7, 16, 64})
    for (const int bins : {1, 2}) {
      const double other = by_bins(values, piece, bins);
      if (sum == sum || other == other) {
        EXPECT_EQ(std::memcmp(&sum, &other, sizeof sum), 0)
            << values.size() << " numbers in pieces of " << piece << ", " << bins << " bins: " << other
            << " and not " << sum << ", TASUKI_TEST_SEED=" << test::seed();
      }
    }
  return sum;
}

TEST(ExactSum, OfOneNumberIsTheNumber) {
  Random random = test::random(3);
  for (int i = 0; i < 20000; ++i) {
    std::uint64_t bits = random();
    double x = 0, back = 0;
    std::memcpy(&x, &bits, sizeof x);
    if (x != x) continue;
    back = exact({x});
    EXPECT_EQ(back, x) << "TASUKI_TEST_SEED=" << test::seed();
  }
  for (const double x : {0.0, kTiny, -kTiny, 0x1p-1022, 0x1.fffffffffffffp-1023, kMax, -kMax, 1.0, -1.0})
    EXPECT_EQ(exact({x}), x);
}

TEST(ExactSum, RoundsOnceToTheNearestAndTiesToEven) {
  EXPECT_EQ(exact({1.0, 0x1p-53}), 1.0);                     // a tie, to even
  EXPECT_EQ(exact({1.0, 0x1p-53, kTiny}), 1.0 + 0x1p-52);    // a hair above it
  EXPECT_EQ(exact({1.0, 0x1p-53, -kTiny}), 1.0);             // a hair below
  EXPECT_EQ(exact({1.0 + 0x1p-52, 0x1p-53}), 1.0 + 0x1p-51); // a tie, the even one is above
  EXPECT_EQ(exact({-1.0, -0x1p-53, -kTiny}), -1.0 - 0x1p-52);
  EXPECT_EQ(exact({kMax, kMax, -kMax}), kMax); // what overflows on the way need not overflow in the end
  EXPECT_EQ(exact({kMax, kMax}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(exact({-kMax, -kMax, kTiny}), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(exact({kMax, kTiny, -kMax}), kTiny);
  EXPECT_EQ(exact({0x1p-1022, -kTiny}), 0x1.ffffffffffffep-1023);
}

TEST(ExactSum, AgreesWithWideIntegers) {
  Random random = test::random(4);
  for (int round = 0; round < 2000; ++round) {
    __int128 sum = 0; // in units of 2^-40
    std::vector<double> values;
    for (long n = pick(random, 1, 60); n > 0; --n) {
      const long m = pick(random, -(1L << 53), 1L << 53);
      const int shift = static_cast<int>(pick(random, 0, 60));
      values.push_back(std::ldexp(static_cast<double>(m), shift - 40));
      sum += static_cast<__int128>(m) << shift;
    }
    const double expected = std::ldexp(static_cast<double>(sum), -40);
    EXPECT_EQ(exact(values), expected) << "TASUKI_TEST_SEED=" << test::seed();
    std::shuffle(values.begin(), values.end(), random);
    EXPECT_EQ(exact(values), expected);
  }
}

TEST(ExactSum, SurvivesCancellationAcrossAllSizes) {
  Random random = test::random(5);
  for (int round = 0; round < 200; ++round) {
    const double left = std::ldexp(static_cast<double>(pick(random, -(1L << 53), 1L << 53)),
                                   static_cast<int>(pick(random, -1074, 900)));
    std::vector<double> values = {left};
    for (int n = 0; n < 100; ++n) {
      const double x = std::ldexp(static_cast<double>(pick(random, 1, 1L << 53)),
                                  static_cast<int>(pick(random, -1074, 960)));
      values.push_back(x);
      values.push_back(-x);
    }
    std::shuffle(values.begin(), values.end(), random);
    EXPECT_EQ(exact(values), left) << "TASUKI_TEST_SEED=" << test::seed();
  }
}

TEST(ExactSum, AddsUpManyPartsWithoutCarrying) {
  ExactSum sum{};
  constexpr long n = 1L << 20;
  for (long i = 0; i < n; ++i)
    exact_split(-0x1.fffffffffffffp+3, [&](int k, long long a) { sum.digit[k] += a; });
  EXPECT_EQ(exact_value(sum), -0x1.fffffffffffffp+23);
  exact_carry(sum.digit); // carried or not, it is the same number
  EXPECT_EQ(exact_value(sum), -0x1.fffffffffffffp+23);
}

// What sweeps offer: neighbours that are about alike, for so long that bins fill up, with outliers and zeros of both signs,
// and pieces whose sizes are far from each other's.
TEST(ExactSum, OfSmoothNumbersAndOfRoughOnes) {
  Random random = test::random(6);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (int round = 0; round < 40; ++round) {
    const long count = pick(random, 1, 30000), spread = pick(random, 0, 1) * pick(random, 0, 300);
    const long fall =
        pick(random, 0, 3) == 0 ? pick(random, 1, 20) : 0; // bits that 64 numbers get smaller by
    const bool squares = pick(random, 0, 1), floats = pick(random, 0, 1);
    const int size = static_cast<int>(pick(random, -1000, 900));
    std::vector<double> values;
    for (long k = 0; k < count; ++k) {
      const int exponent = static_cast<int>(-53 - pick(random, 0, spread) - fall * k / 64);
      double x = std::ldexp(static_cast<double>(pick(random, squares ? 0 : -(1L << 53), 1L << 53)), exponent);
      if (floats) x = static_cast<float>(x);
      if (pick(random, 0, 20) == 0) x = pick(random, 0, 1) ? 0.0 : -0.0;
      if (pick(random, 0, 5000) == 0) x = std::ldexp(x, 60);
      values.push_back(std::ldexp(x, size));
    }
    exact(values);
  }
}

// Anchors at both ends of what a double holds.
TEST(ExactSum, OfTheSmallestAndTheLargest) {
  Random random = test::random(7);
  for (const int size : {-1074, -1060, -1022, -1000, -980, 900, 975, 990, 1000, 1022}) {
    std::vector<double> values;
    for (int k = 0; k < 3000; ++k)
      values.push_back(
          std::ldexp(static_cast<double>(pick(random, -8, 8)) + (size > 0 ? 0x1p-49 : 0), size - 3));
    exact(values);
    values.push_back(kTiny);
    values.push_back(-kMax);
    exact(values);
  }
}

TEST(ExactSum, TellsWhatIsNoNumber) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(exact({1, inf, -kMax}), inf);
  EXPECT_EQ(exact({1, -inf}), -inf);
  EXPECT_NE(exact({inf, -inf}), exact({inf, -inf}));
  EXPECT_NE(exact({1, nan, inf}), exact({1, nan, inf}));
}

} // namespace
} // namespace tasuki
