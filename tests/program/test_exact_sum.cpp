// The exact sum by itself: against sums in wide integers, and at the ends of what a double holds.
#include <tasuki/device/exact_sum.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tasuki {
namespace {

using test::pick;
using test::Random;

constexpr double kMax = std::numeric_limits<double>::max(), kTiny = 0x1p-1074;

double exact(const std::vector<double>& values) {
  ExactSum sum{};
  for (const double x : values) exact_split(x, [&](int k, long long amount) { sum.digit[k] += amount; });
  return exact_value(sum);
}

TEST(ExactSum, OfOneNumberIsTheNumber) {
  Random random = test::random(3);
  for (int i = 0; i < 100000; ++i) {
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

TEST(ExactSum, TellsWhatIsNoNumber) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(exact({1, inf, -kMax}), inf);
  EXPECT_EQ(exact({1, -inf}), -inf);
  EXPECT_NE(exact({inf, -inf}), exact({inf, -inf}));
  EXPECT_NE(exact({1, nan, inf}), exact({1, nan, inf}));
}

} // namespace
} // namespace tasuki
