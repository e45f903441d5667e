// What is sent is what arrives: the boxes of a sender are its receiver's halo, cell by cell, and together they are all of it. No rank
// but this one is asked for, and none exists.
#include <tasuki/halo/boxes.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <map>

namespace tasuki {
namespace {

using test::pick;
using test::Random;

constexpr int kDims = 3;
using Cell = std::array<long, kDims>;

template <class Visit>
void each_cell(const Box& box, const Visit& visit) {
  for (long z = box.lo[2]; z < box.hi[2]; ++z)
    for (long y = box.lo[1]; y < box.hi[1]; ++y)
      for (long x = box.lo[0]; x < box.hi[0]; ++x) visit(Cell{x, y, z});
}

Layout layout_of_rank(const Decomposition& cut, const Widths& halo, int rank) {
  const Box block = cut.block(rank);
  return layout_of(kDims, {block.extent(0), block.extent(1), block.extent(2)}, halo);
}

// The cell of the grid that a local one is, or is a copy of; false beyond the edge.
bool global(const Decomposition& cut, int rank, const Cell& local, Cell& to) {
  for (int a = 0; a < kDims; ++a) {
    const auto k = static_cast<std::size_t>(a);
    to[k] = cut.block(rank).lo[a] + local[k];
    if (cut.periodic[a]) to[k] = (to[k] + cut.extents[a]) % cut.extents[a];
    if (to[k] < 0 || to[k] >= cut.extents[a]) return false;
  }
  return true;
}

TEST(Boxes, FillEachHaloCellOnceWithItsOwn) {
  Random random = test::random(29);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (int round = 0; round < 40; ++round) {
    DecompositionRequest request;
    request.dims = kDims;
    request.size = static_cast<int>(pick(random, 1, 6));
    for (int a = 0; a < kDims; ++a) {
      const auto k = static_cast<std::size_t>(a);
      request.extents[k] = pick(random, 12, 15);
      request.periodic[k] = pick(random, 0, 1) == 1;
      request.wraps[k] = pick(random, 0, 1) == 1;
      request.halo[k] = Width(static_cast<int>(pick(random, 0, 2)), static_cast<int>(pick(random, 0, 2)));
    }
    const Decomposition cut = decompose(request, exchange_cost_host());
    const Widths halo = halo_of(cut, request.halo);
    const Depth depth{halo, static_cast<int>(pick(random, 1, kDims))};
    for (int rank = 0; rank < cut.size(); ++rank) {
      const Layout mine = layout_of_rank(cut, halo, rank);
      std::map<Cell, int> filled;
      for (const Direction& d : directions(cut, depth.order)) {
        ASSERT_LE(axes_of(d), depth.order);
        const int from = cut.neighbour(rank, opposite(d));
        if (from < 0) continue;
        const Box sent = sent_box(layout_of_rank(cut, halo, from), d, depth);
        const Box arrives = received_box(mine, d, depth);
        ASSERT_EQ(sent.cells(), arrives.cells());
        each_cell(arrives, [&](const Cell& to) {
          ++filled[to];
          Cell source, there, here;
          for (int a = 0; a < kDims; ++a)
            source[static_cast<std::size_t>(a)] =
                to[static_cast<std::size_t>(a)] - arrives.lo[a] + sent.lo[a];
          ASSERT_TRUE(global(cut, from, source, there));
          ASSERT_TRUE(global(cut, rank, to, here));
          ASSERT_EQ(there, here) << "round " << round << ", rank " << rank;
        });
      }
      each_cell(grow(box_of(kDims, mine.extents), halo), [&](const Cell& c) {
        int off = 0;
        for (int a = 0; a < kDims; ++a) {
          const long at = c[static_cast<std::size_t>(a)];
          off += at < 0 || at >= mine.extents[a];
        }
        Cell there;
        const bool due = off > 0 && off <= depth.order && global(cut, rank, c, there);
        ASSERT_EQ(filled.count(c), due ? 1u : 0u)
            << "round " << round << ", rank " << rank << ", cell " << c[0] << " " << c[1] << " " << c[2];
        if (due) {
          ASSERT_EQ(filled[c], 1);
        }
      });
    }
  }
}

TEST(Boxes, GoOnlyWhereThereAreNeighbours) {
  DecompositionRequest request;
  request.dims = 2;
  request.extents = {8, 8};
  request.size = 2;
  request.ranks = {1, 2};
  Decomposition cut = decompose(request, exchange_cost_host());
  EXPECT_EQ(directions(cut, 2), (std::vector<Direction>{{0, -1}, {0, 1}})); // along the cut axis alone
  cut.periodic[0] = true;
  EXPECT_EQ(directions(cut, 1).size(), 4u);
  EXPECT_EQ(directions(cut, 2).size(), 8u); // and corners
}

TEST(Boxes, OfACodecGoAlongOneAxis) {
  Codec codec;
  codec.terms[0][0] = {{1, 0}}; // what arrives from below along x
  codec.terms[0][1] = {{0, 1}, {2, 2}};
  const Direction up{1, 0}, down{-1, 0}, corner{1, 1};
  EXPECT_EQ(terms_of(&codec, 4, up).size(), 1u);
  EXPECT_EQ(terms_of(&codec, 4, down).size(), 2u);
  EXPECT_TRUE(terms_of(&codec, 4, corner).empty());
  EXPECT_EQ(terms_of(nullptr, 4, corner).size(), 4u); // without one, whole cells
  Widths halo{};
  halo[0] = Width(3, 2);
  const Depth plain = whole_halo(halo, 2, false), coded = whole_halo(halo, 2, true);
  EXPECT_EQ(plain, (Depth{halo, 2}));
  EXPECT_EQ(coded.width[0], Width(1)); // a codec carries the nearest cells, across faces
  EXPECT_EQ(coded.order, 1);
}

} // namespace
} // namespace tasuki
