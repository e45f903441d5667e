#include <apps/argon/physics/normal.hpp>

#include <gtest/gtest.h>

namespace tasuki::argon {
namespace {

// The known answers that come with Random123, philox4x32 of 10 rounds.
TEST(Philox, GivesThePublishedWords) {
  struct Known {
    Words counter;
    std::uint64_t seed; // key, low word first
    Words words;
  };
  const Known known[] = {
      {{{0, 0, 0, 0}}, 0, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
      {{{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}},
       0xffffffffffffffff,
       {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
      {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
       0x299f31d0a4093822,
       {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
  };
  for (const Known& k : known) {
    const Words words = philox(k.counter, k.seed);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(words.w[i], k.words.w[i]) << i;
  }
}

TEST(Philox, LogarithmAndTurnAreThoseOfTheLibrary) {
  for (std::uint32_t word = 0; word < 0xffffff00u; word += 0x10101u) {
    const float u = unit_float(word);
    const double ln = std::log(static_cast<double>(u));
    EXPECT_NEAR(static_cast<double>(log_of_unit(u)), ln, 1e-6 * std::max(1e-1, -ln));
    float c = 0, s = 0;
    cos_sin_of_turn(word, c, s);
    const double turn = 6.283185307179586 * static_cast<double>(word) * 0x1p-32;
    EXPECT_NEAR(static_cast<double>(c), std::cos(turn), 3e-7);
    EXPECT_NEAR(static_cast<double>(s), std::sin(turn), 3e-7);
  }
}

// The same numbers in every run: the bounds are five standard errors.
TEST(Philox, NormalsHaveTheMomentsOfANormalDistribution) {
  constexpr int n = 1 << 20;
  double sum[3] = {}, square[3] = {}, fourth[3] = {}, xy = 0, xz = 0, beyond = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    const Normals r = normals(philox(counter_of(i, 7, 12345, Purpose::noise), 2));
    const double v[3] = {static_cast<double>(r.x), static_cast<double>(r.y), static_cast<double>(r.z)};
    for (int a = 0; a < 3; ++a) {
      sum[a] += v[a];
      square[a] += v[a] * v[a];
      fourth[a] += v[a] * v[a] * v[a] * v[a];
      beyond += std::abs(v[a]) > 3;
    }
    xy += v[0] * v[1];
    xz += v[0] * v[2];
  }
  const double error = 5 / std::sqrt(static_cast<double>(n));
  for (int a = 0; a < 3; ++a) {
    EXPECT_NEAR(sum[a] / n, 0, error);
    EXPECT_NEAR(square[a] / n, 1, error * std::sqrt(2.0));
    EXPECT_NEAR(fourth[a] / n, 3, error * std::sqrt(96.0));
  }
  EXPECT_NEAR(xy / n, 0, error);
  EXPECT_NEAR(xz / n, 0, error);
  EXPECT_NEAR(beyond / (3.0 * n), 0.0026998, error * std::sqrt(0.0027 / 3));
}

} // namespace
} // namespace tasuki::argon
