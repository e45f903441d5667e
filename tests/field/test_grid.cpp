// Grids and regions: what of a region a rank has, periodic images and halo included, against a look at every cell.
#include <tasuki/field/grid.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <set>

namespace tasuki {
namespace {

using test::pick;
using test::Random;
using test::world;

std::unique_ptr<World> plain_world() {
  return test::world_with([](Settings& s) {
    s.halo = 0;
    s.ranks.clear();
  });
}

TEST(Grid, TakesOneValueOrAValueAnAxis) {
  const auto made = plain_world();
  Grid<3> grid(*made, {64, 64, 64}, {.halo = {1, {2, 3}}, .periodic = {true, false}});
  EXPECT_EQ(grid.core()->halo()[0], Width(1, 1));
  EXPECT_EQ(grid.core()->halo()[1], Width(2, 3));
  EXPECT_EQ(grid.core()->halo()[2], Width(2, 3)); // the last of a short list serves the rest
  EXPECT_TRUE(grid.core()->periodic(0));
  EXPECT_FALSE(grid.core()->periodic(1));
  EXPECT_FALSE(grid.core()->periodic(2));
  Grid<2> same(*made, {64, 64}, {.halo = 2, .periodic = true});
  EXPECT_EQ(same.core()->halo()[1], Width(2));
  EXPECT_TRUE(same.core()->periodic(1));
}

TEST(Grid, ThinksOfRegionsInGlobalCells) {
  const auto made = plain_world();
  Grid<2> grid(*made, {60, 50}, {.halo = 1, .periodic = {false, true}});
  EXPECT_EQ(to_string(grid.all().box), "[0, 60) x [0, 50)");
  EXPECT_EQ(to_string(grid.inner(2).box), "[2, 58) x [0, 50)"); // a periodic axis has no boundary
  EXPECT_EQ(to_string(grid.inner({{1, 3}, 0}).box), "[1, 57) x [0, 50)");
  EXPECT_EQ(to_string(grid.box({50, 40}, {70, 45}).box), "[50, 60) x [40, 45)");
  long cells = grid.core()->owned().cells();
  MPI_Allreduce(MPI_IN_PLACE, &cells, 1, MPI_LONG, MPI_SUM, made->comm());
  EXPECT_EQ(cells, 60 * 50);
}

TEST(Grid, FollowsTheSettings) {
  const auto made = test::world_with([](Settings& s) {
    s.halo = 3;
    s.ranks = {1, world().size()};
  });
  Grid<2> grid(*made, {64, 64}, {.halo = {1, 0}, .ranks = {world().size(), 1}});
  EXPECT_EQ(grid.core()->halo()[0], Width(3));
  EXPECT_EQ(grid.core()->halo()[1], Width(0)); // where the program needs none, none is made
  EXPECT_EQ(grid.ranks(), (std::array<int, 2>{1, world().size()}));
  try {
    Grid<3> other(*made, {64, 64, 64});
    FAIL() << "it was not refused";
  } catch (const Error& fault) {
    EXPECT_STREQ(fault.what(),
                 "--ranks names 2 axes, the grid has 3; give one number an axis, as in --ranks 2x1x1");
  }
}

TEST(Grid, FindsThePartsOfARegionThatARankHas) {
  Random random = test::random(8);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  const auto made = plain_world();
  for (int round = 0; round < 200; ++round) {
    const std::array<long, 2> n = {pick(random, 3L * made->size(), 40), pick(random, 3L * made->size(), 40)};
    const bool px = pick(random, 0, 1) != 0, py = pick(random, 0, 1) != 0;
    Grid<2> grid(*made, n, {.halo = 3, .periodic = {px, py}});
    std::array<long, 2> lo{}, hi{};
    for (int a = 0; a < 2; ++a) {
      const bool whole = pick(random, 0, 2) == 0;
      lo[a] = whole ? 0 : pick(random, 0, n[a]);
      hi[a] = whole ? n[a] : pick(random, lo[a], n[a]);
    }
    Widths by{};
    for (int a = 0; a < 2; ++a)
      by[a] = Width(static_cast<int>(pick(random, 0, 3)), static_cast<int>(pick(random, 0, 3)));
    const auto parts = grid.core()->local_parts(grid.box(lo, hi).box, by);

    const GridCore& core = *grid.core();
    const Box owned = core.owned();
    std::set<std::pair<long, long>> expected, got;
    long count = 0;
    for (int a = 0; a < 2; ++a)
      if (!core.cut().exchanges(a)) by[a] = Width(0);
    for (long y = owned.lo[1] - by[1].lo; y < owned.hi[1] + by[1].hi; ++y)
      for (long x = owned.lo[0] - by[0].lo; x < owned.hi[0] + by[0].hi; ++x) {
        const long gx = px ? (x + n[0]) % n[0] : x, gy = py ? (y + n[1]) % n[1] : y;
        if (gx >= lo[0] && gx < hi[0] && gy >= lo[1] && gy < hi[1])
          expected.emplace(x - owned.lo[0], y - owned.lo[1]);
      }
    for (const Box& part : parts) {
      count += part.cells();
      for (long y = part.lo[1]; y < part.hi[1]; ++y)
        for (long x = part.lo[0]; x < part.hi[0]; ++x) got.emplace(x, y);
    }
    EXPECT_EQ(got, expected);
    EXPECT_EQ(count, static_cast<long>(got.size())) << "parts overlap";
  }
}

// A grid with an axis more than another: each rank has the same cells along the axes that they share.
TEST(Grid, LiesAsAnotherIsCut) {
  const auto made = plain_world();
  const Grid<2> plane(*made, {30, 64}, {.halo = {1, 2}, .periodic = {true, false}, .wraps = true});
  Decomposition cut = plane.cut();
  cut.dims = 3;
  cut.extents[2] = 5;
  cut.ranks[2] = 1;
  cut.offsets.push_back({0, 5});
  const Grid<3> stack(*made, cut, plane.halo());
  const Box mine = stack.owned(), beside = plane.owned();
  for (int a = 0; a < 2; ++a) {
    EXPECT_EQ(mine.lo[a], beside.lo[a]);
    EXPECT_EQ(mine.hi[a], beside.hi[a]);
    EXPECT_EQ(stack.core()->halo()[a], plane.core()->halo()[a]);
    EXPECT_EQ(stack.core()->periodic(a), plane.core()->periodic(a));
  }
  EXPECT_EQ(mine.extent(2), 5);
  EXPECT_EQ(stack.core()->halo()[2], Width(0));
  EXPECT_THROW(Grid<2>(*made, cut, {}), Error);
  cut.ranks[2] = 2;
  EXPECT_THROW(Grid<3>(*made, cut, {}), Error);
}

TEST(Box, SubtractsIntoDisjointBoxes) {
  Random random = test::random(9);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (int round = 0; round < 500; ++round) {
    Box whole, part;
    whole.dims = part.dims = 3;
    for (int a = 0; a < 3; ++a) {
      whole.lo[a] = pick(random, -4, 4);
      whole.hi[a] = whole.lo[a] + pick(random, 0, 6);
      part.lo[a] = pick(random, -5, 6);
      part.hi[a] = part.lo[a] + pick(random, 0, 6);
    }
    long cells = 0;
    const auto rest = subtract(whole, part);
    for (std::size_t i = 0; i < rest.size(); ++i) {
      EXPECT_TRUE(whole.contains(rest[i]));
      EXPECT_TRUE(intersect(rest[i], part).empty());
      for (std::size_t j = 0; j < i; ++j) EXPECT_TRUE(intersect(rest[i], rest[j]).empty());
      cells += rest[i].cells();
    }
    EXPECT_EQ(cells, whole.cells() - intersect(whole, part).cells());
  }
}

} // namespace
} // namespace tasuki
