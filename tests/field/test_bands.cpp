// Bands of a node lie one behind another: the planes beside a rank's own, and whose halo they are, of ranks on nodes that need not
// exist; and which cuts have no bands.
#include <tasuki/field/bands.hpp>
#include <tests/checks.hpp>

#include <gtest/gtest.h>

namespace tasuki {
namespace {

using test::refusal;

Links on_nodes(const std::vector<int>& node) {
  Places places;
  std::vector<int> seen(node.size(), 0);
  for (const int n : node) {
    places.host.push_back(n);
    places.node.push_back(n);
    places.node_rank.push_back(seen[static_cast<std::size_t>(n)]++);
  }
  return {std::move(places), [](int, int) { return true; }};
}

// So many planes a rank along the slowest axis, or as `ranks` says.
Decomposition cut_into(const std::vector<long>& planes, std::array<int, 2> ranks = {1, 0}) {
  DecompositionRequest request;
  request.dims = 2;
  request.extents[0] = 8;
  for (const long n : planes) request.extents[1] += n;
  request.size = static_cast<int>(planes.size());
  request.ranks[0] = ranks[0];
  request.ranks[1] = ranks[1];
  if (ranks[0] == 1) request.blocks = {{}, planes};
  return decompose(request, exchange_cost_host());
}

TEST(Bands, OfANodeLieOneBehindAnother) {
  const Decomposition cut = cut_into({3, 4, 5, 6, 7});
  const Bands bands(cut, on_nodes({0, 0, 1, 1, 1}));
  EXPECT_TRUE(bands.any());
  const long below[] = {0, 3, 0, 5, 11}, above[] = {4, 0, 13, 7, 0};
  for (int rank = 0; rank < 5; ++rank) {
    EXPECT_EQ(bands.beside(rank).below, below[rank]) << "rank " << rank;
    EXPECT_EQ(bands.beside(rank).above, above[rank]) << "rank " << rank;
  }
  EXPECT_TRUE(bands.side_by_side(0, {0, 1}));
  EXPECT_TRUE(bands.side_by_side(1, {0, -1}));
  EXPECT_TRUE(bands.side_by_side(0, {1, 1}));  // a corner along the slowest axis too
  EXPECT_FALSE(bands.side_by_side(0, {1, 0})); // not along another axis
  EXPECT_FALSE(bands.side_by_side(1, {0, 1})); // of another node
  EXPECT_FALSE(bands.side_by_side(4, {0, 1})); // round the end, or beyond it
  EXPECT_FALSE(bands.side_by_side(0, {0, -1}));
  EXPECT_EQ(next_band(cut, 1, 1), 2); // on whatever node
  EXPECT_EQ(next_band(cut, 1, -1), 0);
  EXPECT_EQ(next_band(cut, 4, 1), -1);
  EXPECT_EQ(next_band(cut, 0, -1), -1);
  EXPECT_EQ(next_band(cut, 1, 0), -1);
}

TEST(Bands, FollowTheBlocksNotTheRanks) {
  Decomposition cut = cut_into({3, 4, 5});
  cut.map({2, 1, 0});
  const Bands bands(cut, on_nodes({0, 0, 0}));
  EXPECT_EQ(bands.beside(2).below, 0); // rank 2 has the first block
  EXPECT_EQ(bands.beside(2).above, 9);
  EXPECT_EQ(bands.beside(0).below, 7);
  EXPECT_TRUE(bands.side_by_side(2, {0, 1}));
  EXPECT_FALSE(bands.side_by_side(0, {0, 1}));
}

TEST(Bands, AreNoneByDefault) {
  EXPECT_FALSE(Bands().any());
  EXPECT_FALSE(Bands().side_by_side(0, {0, 1}));
}

TEST(Bands, RefuseCutsThatHaveNone) {
  DecompositionRequest line;
  line.dims = 1;
  line.extents[0] = 8;
  EXPECT_EQ(refusal([&] { Bands(decompose(line, exchange_cost_host()), on_nodes({0})); }),
            "--halo direct wants a grid of two axes or more; leave it out");
  EXPECT_EQ(
      refusal([&] {
        Bands(cut_into({4, 4}, {2, 1}), on_nodes({0, 0}));
      }),
      "--halo direct wants a grid that is cut along its slowest axis alone, and this one is cut 2x1; take "
      "--ranks 1x2, or leave --halo direct out");
  EXPECT_EQ(
      refusal([&] {
        Bands(cut_into({4, 4, 4}), on_nodes({0, 1, 0}));
      }),
      "--halo direct wants blocks of a node that follow each other, and node 0 has others between; take "
      "--mapping naive, with the ranks of a node one after another");
}

} // namespace
} // namespace tasuki
