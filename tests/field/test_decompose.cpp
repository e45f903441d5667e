// How grids are cut: every cell once, the cut that is asked for or the cheapest, and refusals that name the mend.
#include <tasuki/base/error.hpp>
#include <tasuki/field/decompose.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace tasuki {
namespace {

using test::pick;
using test::Random;

DecompositionRequest request(std::vector<long> extents, int size, int halo = 1, bool periodic = false) {
  DecompositionRequest r;
  r.dims = static_cast<int>(extents.size());
  std::copy(extents.begin(), extents.end(), r.extents.begin());
  r.size = size;
  r.halo.fill(Width(halo));
  r.periodic.fill(periodic);
  return r;
}
Decomposition cut(const DecompositionRequest& r) { return decompose(r, exchange_cost_host()); }

std::string refusal(const DecompositionRequest& r) {
  try {
    cut(r);
  } catch (const Error& fault) {
    return fault.what();
  }
  return "it was not refused";
}
std::vector<int> grid_of(const Decomposition& d) { return {d.ranks.begin(), d.ranks.begin() + d.dims}; }

void expect_partition(const Decomposition& d) {
  long cells = 0;
  for (int r = 0; r < d.size(); ++r) {
    const Box block = d.block(r);
    EXPECT_FALSE(block.empty());
    EXPECT_TRUE(box_of(d.dims, d.extents).contains(block));
    cells += block.cells();
    EXPECT_EQ(d.rank_at(d.coords(r)), r);
    for (int s = 0; s < r; ++s) EXPECT_TRUE(intersect(block, d.block(s)).empty());
  }
  EXPECT_EQ(cells, box_of(d.dims, d.extents).cells());
}

TEST(Decompose, GivesEveryCellToOneRank) {
  Random random = test::random(6);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (int round = 0; round < 300; ++round) {
    const int size = static_cast<int>(pick(random, 1, 24));
    std::vector<long> extents(static_cast<std::size_t>(pick(random, 1, 4)));
    for (long& n : extents) n = pick(random, size, 3 * size + 5); // any factorisation fits
    const Decomposition d =
        cut(request(extents, size, static_cast<int>(pick(random, 0, 1)), pick(random, 0, 1) != 0));
    EXPECT_EQ(d.size(), size);
    expect_partition(d);
    for (int a = 0; a < d.dims; ++a) { // even: no block is more than one cell larger than another
      const long widest = (d.extents[a] + d.ranks[a] - 1) / d.ranks[a];
      EXPECT_EQ(d.smallest_block(a), d.extents[a] / d.ranks[a]);
      for (int c = 0; c < d.ranks[a]; ++c) EXPECT_LE(d.offsets[a][c + 1] - d.offsets[a][c], widest);
    }
  }
}

TEST(Decompose, CutsForPrimesWhereTheyFit) {
  EXPECT_EQ(grid_of(cut(request({7, 3}, 7))), (std::vector<int>{7, 1}));
  EXPECT_EQ(grid_of(cut(request({3, 13}, 13))), (std::vector<int>{1, 13}));
  EXPECT_EQ(grid_of(cut(request({2, 2, 11}, 11))), (std::vector<int>{1, 1, 11}));
  expect_partition(cut(request({100, 100}, 17)));
}

TEST(Decompose, LeavesXWholeWhereThatIsCheaper) {
  EXPECT_EQ(grid_of(cut(request({4096, 4096}, 2))), (std::vector<int>{1, 2}));
  EXPECT_EQ(grid_of(cut(request({4096, 4096}, 4))), (std::vector<int>{1, 4}));
  EXPECT_EQ(grid_of(cut(request({256, 256, 256}, 2))), (std::vector<int>{1, 1, 2}));
  // A long thin grid is cut along its length, x or not.
  EXPECT_EQ(grid_of(cut(request({1 << 20, 16}, 4))), (std::vector<int>{4, 1}));
}

TEST(Decompose, TakesTheCheapestOfAll) {
  const ExchangeCost cost = exchange_cost_host();
  for (const int size : {4, 6, 8, 12}) {
    const auto free = request({192, 160, 224}, size);
    const double least = predicted_exchange(cut(free), free.halo, cost);
    for (int px = 1; px <= size; ++px)
      for (int py = 1; py <= size; ++py) {
        if (size % (px * py) != 0 || 192 % px || 160 % py || 224 % (size / px / py))
          continue; // even ones alone
        auto given = free;
        given.ranks = {px, py, size / px / py};
        EXPECT_GE(predicted_exchange(cut(given), given.halo, cost), least * (1 - 1e-9)) << px << 'x' << py;
      }
  }
}

TEST(Decompose, TakesTheProcessGridThatIsGiven) {
  auto r = request({12, 10, 8}, 6);
  r.ranks = {3, 0, 2};
  EXPECT_EQ(grid_of(cut(r)), (std::vector<int>{3, 1, 2}));
  r.ranks = {0, 2, 0};
  EXPECT_EQ(cut(r).ranks[1], 2);
  EXPECT_EQ(cut(r).size(), 6);
}

TEST(Decompose, TakesTheBlocksThatAreGiven) {
  auto r = request({20, 9}, 6);
  r.blocks = {{7, 1, 12}, {}};
  const Decomposition d = cut(r);
  EXPECT_EQ(grid_of(d), (std::vector<int>{3, 2}));
  EXPECT_EQ(d.offsets[0], (std::vector<long>{0, 7, 8, 20}));
  EXPECT_EQ(d.offsets[1], (std::vector<long>{0, 5, 9}));
  EXPECT_EQ(to_string(d.block(4)), "[7, 8) x [5, 9)");
  expect_partition(d);
}

TEST(Decompose, KnowsNeighbours) {
  auto r = request({12, 12}, 6);
  r.ranks = {3, 2};
  r.periodic = {true, false};
  const Decomposition d = cut(r);
  EXPECT_EQ(d.neighbour(0, {1, 0}), 1);
  EXPECT_EQ(d.neighbour(0, {-1, 0}), 2); // around
  EXPECT_EQ(d.neighbour(0, {0, -1}), -1);
  EXPECT_EQ(d.neighbour(0, {0, 1}), 3);
  EXPECT_EQ(d.neighbour(5, {1, -1}), 0);
  EXPECT_EQ(d.neighbour(5, {1, 1}), -1);
  EXPECT_TRUE(d.exchanges(0) && d.exchanges(1));
  EXPECT_FALSE(cut(request({12, 12}, 1)).exchanges(0));
  EXPECT_TRUE(cut(request({12, 12}, 1, 1, true)).exchanges(0));
}

TEST(Decompose, RefusesAnExtentBelowOne) {
  EXPECT_EQ(refusal(request({16, 0}, 1)), "the grid has 0 cells along y; use at least 1");
  EXPECT_EQ(refusal(request({-3}, 1)), "the grid has -3 cells along x; use at least 1");
}

TEST(Decompose, RefusesWhatCannotBeNumbered) {
  const long most = std::numeric_limits<int>::max();
  EXPECT_EQ(cut(request({most - 2, 3}, 1)).block(0).extent(0), most - 2); // with its halo it is `most`
  EXPECT_EQ(
      refusal(request({most - 1}, 1)),
      "a rank would have 2147483646 cells along x, more than an int numbers; use more ranks along x, or more "
      "axes");
  EXPECT_EQ(cut(request({2 * most - 4}, 2)).block(1).extent(0), most - 2);
  EXPECT_EQ(refusal(request({1L << 21, 1L << 21, 1L << 22}, 1)),
            "the grid has more cells than can be counted; use fewer along z");
}

TEST(Decompose, RefusesARankWithoutCells) {
  EXPECT_EQ(
      refusal(request({5}, 6)),
      "a rank would have no cells: 5 cells along x for 6 ranks; use a larger extent or fewer ranks along x");
  auto r = request({20, 9}, 2);
  r.blocks = {{20, 0}};
  EXPECT_NE(refusal(r).find("a rank would have no cells"), std::string::npos) << refusal(r);
}

TEST(Decompose, RefusesAHaloWiderThanABlock) {
  EXPECT_EQ(refusal(request({16}, 4, 5)),
            "a halo of 5 is wider than the smallest block along x (4 cells); use a halo "
            "of at most 4, a larger extent or fewer ranks along x");
  EXPECT_NE(refusal(request({3, 40}, 1, 4, true))
                .find("a halo of 4 is wider than the smallest block along x (3 cells)"),
            std::string::npos);
  auto r = request({40}, 2, 0);
  r.halo[0] = Width(0, 3);
  r.blocks = {{38, 2}};
  EXPECT_NE(refusal(r).find("a halo of 3 is wider"), std::string::npos) << refusal(r);
  EXPECT_EQ(cut(request({3, 40}, 1, 4)).size(), 1); // nothing is exchanged, nothing is too wide
}

TEST(Decompose, RefusesANegativeHalo) {
  EXPECT_EQ(refusal(request({16}, 1, -1)), "the halo along x is negative; use 0 or more");
}

TEST(Decompose, RefusesAProcessGridThatDoesNotMatch) {
  auto r = request({16, 16}, 6);
  r.ranks = {2, 2};
  EXPECT_EQ(refusal(r),
            "a process grid of 2x2 (0: free) does not make 6 ranks; let the product be the number of ranks, "
            "or leave axes free");
  r.ranks = {4, 0};
  EXPECT_NE(refusal(r).find("a process grid of 4x0 (0: free) does not make 6 ranks"), std::string::npos);
  r.ranks = {-1, 0};
  EXPECT_NE(refusal(r).find("the process grid has -1 ranks along x; use 1 or more"), std::string::npos)
      << refusal(r);
}

TEST(Decompose, RefusesBlocksThatDoNotAddUp) {
  auto r = request({16, 16}, 2);
  r.blocks = {{9, 8}};
  EXPECT_EQ(
      refusal(r),
      "the blocks along x add up to 17 cells, the grid has 16; let the block sizes add up to the extent");
  r.blocks = {{8, 8}};
  r.ranks = {1, 2};
  EXPECT_NE(refusal(r).find("2 blocks along x"), std::string::npos)
      << refusal(r); // and a process grid with 1
  r.ranks = {};
  r.blocks = {{}, {}, {8, 8}};
  EXPECT_NE(refusal(r).find("3 axes"), std::string::npos) << refusal(r);
}

} // namespace
} // namespace tasuki
