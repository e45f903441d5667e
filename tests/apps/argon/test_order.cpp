// The curve that fills the box, the order of atoms along it, and what lists see of a place.
#include <apps/argon/physics/curve.hpp>
#include <apps/argon/physics/seen.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace tasuki::argon {
namespace {

using test::Random;

std::uint32_t any(Random& random) { return static_cast<std::uint32_t>(random()); }
Place some_place(Random& random) { return {any(random), any(random), any(random)}; }

// In fractions of the box, the way around its end.
double between(std::uint32_t a, std::uint32_t b) {
  return std::abs(static_cast<double>(static_cast<std::int32_t>(a - b))) * 0x1p-32;
}

TEST(Curve, GoesThroughEveryCellOnceAndFromFaceToFace) {
  std::vector<std::array<int, 3>> cells(512, {-1, -1, -1});
  for (int x = 0; x < 8; ++x)
    for (int y = 0; y < 8; ++y)
      for (int z = 0; z < 8; ++z) {
        const auto corner = [](int k) { return static_cast<std::uint32_t>(k) << 29; };
        const std::uint32_t at = curve_index(corner(x), corner(y), corner(z));
        ASSERT_LT(at, 512u);
        EXPECT_EQ(cells[at][0], -1) << "a second cell is number " << at;
        cells[at] = {x, y, z};
        // All of the cell has its number.
        EXPECT_EQ(curve_index(corner(x) + 0x1fffffffu, corner(y) + 77, corner(z) + 0x10000000u), at);
      }
  for (std::size_t k = 1; k < cells.size(); ++k) {
    int apart = 0;
    for (std::size_t a = 0; a < 3; ++a) apart += std::abs(cells[k][a] - cells[k - 1][a]);
    EXPECT_EQ(apart, 1) << "cells " << k - 1 << " and " << k;
  }
}

TEST(Seen, IsThePlaceToTwentyOneBits) {
  Random random = test::random(61);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (int k = 0; k < 1000; ++k) {
    const Place p = some_place(random), q = unpacked(packed(p));
    EXPECT_LE(between(p.x, q.x), 0x1p-21);
    EXPECT_LE(between(p.y, q.y), 0x1p-22);
    EXPECT_LE(between(p.z, q.z), 0x1p-21);
  }
}

// A box around some atoms reaches all of them, and nobody is farther from it than from any of them.
TEST(Seen, NobodyIsNearerToAnAtomThanToTheBoxAroundIt) {
  Random random = test::random(62);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (int round = 0; round < 300; ++round) {
    const Place middle = some_place(random); // so that boxes lie across the ends of the box, too
    std::vector<Element<2>> atoms;
    for (int k = 0; k < 16; ++k) {
      const auto near = [&](std::uint32_t at) { return at + (any(random) >> 4); };
      atoms.push_back(packed({near(middle.x), near(middle.y), near(middle.z)}));
    }
    const Around box = box_around(atoms, 0, 16);
    for (const Element<2>& atom : atoms) {
      const Place p = unpacked(atom);
      EXPECT_EQ(beyond(p.x, box.middle.x, box.x), 0);
      EXPECT_EQ(beyond(p.y, box.middle.y, box.y), 0);
      EXPECT_EQ(beyond(p.z, box.middle.z, box.z), 0);
    }
    const Place other = some_place(random);
    const auto sum = [](double x, double y, double z) { return std::sqrt(x * x + y * y + z * z); };
    const double to_box = sum(beyond(other.x, box.middle.x, box.x), beyond(other.y, box.middle.y, box.y),
                              beyond(other.z, box.middle.z, box.z)) /
                          8;
    for (const Element<2>& atom : atoms) {
      const Place p = unpacked(atom);
      EXPECT_LE(to_box, sum(between(p.x, other.x), between(p.y, other.y), between(p.z, other.z)) + 1e-6);
    }
  }
}

} // namespace
} // namespace tasuki::argon
