// Boxes of cells against lists of their cells.
#include <tasuki/base/box.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace tasuki {
namespace {

using test::pick;
using test::Random;
using Cells = std::multiset<Index>;

Box some_box(Random& random, int dims) {
  Box box{.dims = dims};
  for (int a = 0; a < dims; ++a) {
    box.lo[a] = pick(random, -4, 4);
    box.hi[a] = box.lo[a] + pick(random, a == 0 ? -1 : 0, 5); // some are empty, one way or the other
  }
  return box;
}

Cells cells_of(const Box& box) {
  Cells cells;
  Index x = box.lo;
  const auto walk = [&](const auto& self, int axis) -> void {
    if (axis < 0) {
      cells.insert(x);
      return;
    }
    for (x[axis] = box.lo[axis]; x[axis] < box.hi[axis]; ++x[axis]) self(self, axis - 1);
  };
  if (box.dims > 0) walk(walk, box.dims - 1);
  return cells;
}

bool all_in(const Cells& inner, const Cells& outer) {
  return std::includes(outer.begin(), outer.end(), inner.begin(), inner.end());
}

TEST(Box, IsTheCellsInIt) {
  Random random = test::random(31);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (int round = 0; round < 600; ++round) {
    const int dims = static_cast<int>(pick(random, 1, 4));
    const Box a = some_box(random, dims), b = some_box(random, dims);
    const Cells in_a = cells_of(a), in_b = cells_of(b);
    SCOPED_TRACE(to_string(a) + " and " + to_string(b));
    EXPECT_EQ(a.cells(), static_cast<long>(in_a.size()));
    EXPECT_EQ(a.empty(), in_a.empty());
    EXPECT_EQ(a.contains(b), all_in(in_b, in_a));

    Cells both, rest;
    std::set_intersection(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(),
                          std::inserter(both, both.end()));
    std::set_difference(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(), std::inserter(rest, rest.end()));
    EXPECT_EQ(cells_of(intersect(a, b)), both);
    Cells left; // each once: a cell that two boxes had would be counted twice
    for (const Box& piece : subtract(a, b)) {
      EXPECT_FALSE(piece.empty());
      left.merge(cells_of(piece));
    }
    EXPECT_EQ(left, rest);
  }
}

TEST(Box, GrowsShrinksAndMoves) {
  const Box box{.dims = 2, .lo = {2, 3}, .hi = {5, 7}};
  Widths by{};
  by[0] = {1, 2};
  by[1] = {0, -1};
  EXPECT_EQ(grow(box, by), (Box{.dims = 2, .lo = {1, 3}, .hi = {7, 6}}));
  EXPECT_EQ(shift(box, {10, -3}), (Box{.dims = 2, .lo = {12, 0}, .hi = {15, 4}}));
  EXPECT_EQ(box_of(2, {5, 6}), (Box{.dims = 2, .lo = {0, 0}, .hi = {5, 6}}));
  EXPECT_EQ(to_string(box), "[2, 5) x [3, 7)");
  EXPECT_TRUE(Box{}.empty());
}

TEST(Box, CountsMoreCellsThanAnIntHolds) { EXPECT_EQ(box_of(3, {1L << 20, 1L << 20, 3}).cells(), 3L << 40); }

} // namespace
} // namespace tasuki
