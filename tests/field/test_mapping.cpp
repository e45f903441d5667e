#include <tasuki/field/field.hpp>
#include <tasuki/field/mapping.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace tasuki {
namespace {

Decomposition cut_of(int dims, const Index& extents, const std::array<int, kMaxDims>& ranks) {
  DecompositionRequest r;
  r.dims = dims;
  r.extents = extents;
  r.ranks = ranks;
  r.halo.fill(Width(1));
  r.size = 1;
  for (int a = 0; a < dims; ++a) r.size *= ranks[a];
  return decompose(r, ExchangeCost{});
}

Widths ones() {
  Widths w;
  w.fill(Width(1));
  return w;
}

// Groups of so many consecutive ranks; between them bytes take ten times as long.
LinkKinds groups_of(int group, int size) {
  LinkKinds links;
  links.size = size;
  links.kinds = 3;
  links.kind = [group](int a, int b) { return a == b ? 0 : a / group == b / group ? 1 : 2; };
  links.seconds = [](int kind, const Rows& rows) {
    return kind == 0 ? 0 : 1e-6 + static_cast<double>(rows.bytes) * (kind == 1 ? 1e-10 : 1e-9);
  };
  return links;
}

TEST(Mapping, PutsTheCostliestFacesOnTheFastestLinks) {
  // Blocks of 1000 x 10: the faces across y are large. Naively, ranks 0 and 1 lie side by side along x, so that the
  // large faces join the groups.
  const Decomposition cut = cut_of(2, {2000, 20}, {2, 2});
  const LinkKinds links = groups_of(2, 4);
  const Mapping naive = naive_mapping(cut, ones(), links), best = best_mapping(cut, ones(), links);
  EXPECT_EQ(naive.rank_of_block, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(best.rank_of_block, (std::vector<int>{0, 2, 1, 3}));
  EXPECT_NEAR(naive.seconds, 2e-6 + 8000 * 1e-9 + 80 * 1e-10, 1e-12);
  EXPECT_NEAR(best.seconds, 2e-6 + 8000 * 1e-10 + 80 * 1e-9, 1e-12);
}

TEST(Mapping, IsNaiveWhereLinksAreEqualOrFitAlready) {
  const LinkKinds equal = groups_of(8, 8);
  EXPECT_EQ(best_mapping(cut_of(3, {64, 64, 64}, {2, 2, 2}), ones(), equal).rank_of_block,
            (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(best_mapping(cut_of(2, {20, 2000}, {2, 2}), ones(), groups_of(2, 4)).rank_of_block,
            (std::vector<int>{0, 1, 2, 3}));
}

TEST(Mapping, OfManyRanksIsAPermutationAndNoWorse) {
  auto random = test::random(4);
  for (int trial = 0; trial < 12; ++trial) {
    const std::array<int, kMaxDims> ranks{static_cast<int>(test::pick(random, 2, 4)),
                                          static_cast<int>(test::pick(random, 2, 4)),
                                          static_cast<int>(test::pick(random, 1, 3))};
    const int size = ranks[0] * ranks[1] * ranks[2];
    const Decomposition cut =
        cut_of(3, {test::pick(random, 10, 300), test::pick(random, 10, 300), 30}, ranks);
    const LinkKinds links = groups_of(static_cast<int>(test::pick(random, 1, size)), size);
    const Mapping naive = naive_mapping(cut, ones(), links), best = best_mapping(cut, ones(), links);
    EXPECT_LE(best.seconds, naive.seconds * (1 + 1e-9));
    std::vector<int> sorted = best.rank_of_block, all(static_cast<std::size_t>(size));
    std::sort(sorted.begin(), sorted.end());
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(sorted, all);
    EXPECT_EQ(mapping_as(cut, ones(), links, best.rank_of_block).seconds, best.seconds);
  }
}

TEST(Mapping, OfBlocksNumberedAlongAnotherAxisIsFound) {
  // 4 x 4 ranks in groups of 4: the group should be a column along y, whose faces are large.
  const Decomposition cut = cut_of(2, {4000, 40}, {4, 4});
  const Mapping best = best_mapping(cut, ones(), groups_of(4, 16));
  for (int x = 0; x < 4; ++x)
    for (int y = 1; y < 4; ++y)
      EXPECT_EQ(best.rank_of_block[static_cast<std::size_t>(x + 4 * y)] / 4,
                best.rank_of_block[static_cast<std::size_t>(x)] / 4);
}

TEST(Mapping, GivesEveryCellOneRank) {
  Decomposition cut = cut_of(2, {31, 17}, {3, 2});
  auto random = test::random(5);
  std::vector<int> ranks{0, 1, 2, 3, 4, 5};
  std::shuffle(ranks.begin(), ranks.end(), random);
  const Decomposition naive = cut;
  cut.map(ranks);
  long cells = 0;
  for (int b = 0; b < 6; ++b) {
    const int r = ranks[static_cast<std::size_t>(b)];
    EXPECT_EQ(cut.block(r), naive.block(b));
    EXPECT_EQ(cut.rank_at(cut.coords(r)), r);
    cells += cut.block(r).cells();
    std::array<int, kMaxDims> right{1}, left{-1};
    if (const int to = cut.neighbour(r, right); to >= 0) {
      EXPECT_EQ(cut.neighbour(to, left), r);
    }
  }
  EXPECT_EQ(cells, 31 * 17);
}

TEST(Mapping, RefusesWhatIsNoPermutation) {
  World& world = test::world();
  const auto refused = [&](const std::string& wish) {
    const auto made = test::world_with([&](Settings& s) {
      s.mapping = wish;
      s.ranks.clear();
      s.halo = 0;
    });
    try {
      Grid<1>(*made, {1000});
    } catch (const Error& fault) {
      return std::string(fault.what()).find("--mapping is '" + wish + "', not each of") != std::string::npos;
    }
    return false;
  };
  for (const char* wish : {"best", "0,", ",0", "0,0", "1", "-1", "0;1", "0,1,2,3,4,5,6,7,8,9"})
    EXPECT_TRUE(refused(wish)) << wish;
  std::string all;
  for (int r = world.size() - 1; r >= 0; --r) all += std::to_string(r) + (r ? "," : "");
  EXPECT_FALSE(refused(all));
  EXPECT_FALSE(refused("naive"));
}

} // namespace
} // namespace tasuki
