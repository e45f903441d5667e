// Ranges of addresses: whose is an address, and whether bytes are in them as a whole, against a map of single bytes.
#include <remote/wire/ranges.hpp>
#include <tests/remote/dice.hpp>

#include <gtest/gtest.h>

#include <array>

namespace tasuki::remote {
namespace {

TEST(Ranges, HoldWhatIsInThemAndCoverWhatTouches) {
  const Ranges ranges{{0x1000, 16}, {0x1010, 16}, {0x1030, 8}};
  EXPECT_EQ(range_at(ranges, 0xfff), ranges.end());
  EXPECT_EQ(range_at(ranges, 0x1014)->first, 0x1010u);
  EXPECT_EQ(range_at(ranges, 0x1020), ranges.end());
  EXPECT_TRUE(covered(ranges, 0x1008, 24));
  EXPECT_FALSE(covered(ranges, 0x1008, 25));
  EXPECT_TRUE(covered(ranges, 0x1030, 0));
  EXPECT_FALSE(covered(ranges, 0x1020, 0));
  EXPECT_FALSE(covered(ranges, 0x1000, ~0ull)); // no sum of both is made, which would come round
}

TEST(Ranges, AreThoseOfSingleBytes) {
  std::mt19937 dice(seed_of_test());
  for (int round = 0; round < 200; ++round) {
    std::array<bool, 96> there{};
    Ranges ranges;
    for (std::uint64_t at = dice() % 8; at < 64;) {
      const std::uint64_t bytes = 1 + dice() % 12;
      ranges[at] = bytes;
      for (std::uint64_t k = at; k < at + bytes; ++k) there[k] = true;
      at += bytes + dice() % 4 / 2;
    }
    for (std::uint64_t at = 0; at < 80; ++at) {
      EXPECT_EQ(range_at(ranges, at) != ranges.end(), there[at]);
      bool all = true;
      for (std::uint64_t bytes = 1; bytes < 16; ++bytes) {
        all = all && there[at + bytes - 1];
        EXPECT_EQ(covered(ranges, at, bytes), all) << at << ", " << bytes;
      }
    }
  }
}

} // namespace
} // namespace tasuki::remote
