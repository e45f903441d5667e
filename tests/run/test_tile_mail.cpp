// Who mails which cells to whom, by the host in a kernel's place: tiles put their rims, take their halos, and then have in
// each cell of a halo what the cell's owner has put.
#include <tasuki/base/reduce.hpp>
#include <tasuki/run/run.hpp>
#include <tasuki/run/tile_mail.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tasuki {
namespace {

using test::pick;
using test::Random;
using test::world;

struct Far2 {
  TS_CELL void operator()(auto c, auto u, auto v) const { v(c) = u(c, 1, 0) + u(c, 0, 1); }
};
struct Far3 {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    v(c) = u(c, 1, 0, 0) + u(c, 0, 1, 0) + u(c, 0, 0, 1);
  }
};
template <int D>
using Far = std::conditional_t<D == 2, Far2, Far3>;

constexpr long kNothing = -1;

// A cell of the grid as a number, by its place among all; kNothing outside of the grid.
long number_of(const GridCore& grid, Index x) {
  long number = 0;
  for (int a = grid.dims() - 1; a >= 0; --a) {
    const long n = grid.extents()[a];
    if (grid.periodic(a)) x[a] = (x[a] % n + n) % n;
    if (x[a] < 0 || x[a] >= n) return kNothing;
    number = number * n + x[a];
  }
  return number;
}
int owner_of(const GridCore& grid, const Index& x) {
  for (int rank = 0; rank < grid.cut().size(); ++rank) {
    const Box block = grid.cut().block(rank);
    bool inside = true;
    for (int a = 0; a < grid.dims(); ++a) {
      const long n = grid.extents()[a], at = grid.periodic(a) ? (x[a] % n + n) % n : x[a];
      inside = inside && block.lo[a] <= at && at < block.hi[a];
    }
    if (inside) return rank;
  }
  return kNothing;
}

// A tile and its halo in the memory that a kernel would have: numbers of cells.
struct Tile {
  Box own; // local cells
  std::vector<long> cells;
};

std::vector<Tile> tiles_of(const GridCore& grid, const TiledLaunch& l) {
  std::vector<Tile> tiles;
  for (int t = 0; t < l.blocks; ++t) {
    Tile tile{Box{.dims = grid.dims()}, std::vector<long>(static_cast<std::size_t>(l.near_plane), kNothing)};
    for (int a = 0, rest = t; a < grid.dims(); rest /= l.tiles[a], ++a) {
      tile.own.lo[a] = long(l.owned[a]) * (rest % l.tiles[a]) / l.tiles[a];
      tile.own.hi[a] = long(l.owned[a]) * (rest % l.tiles[a] + 1) / l.tiles[a];
    }
    tiles.push_back(std::move(tile));
  }
  return tiles;
}

// visit(local cell, its index in the tile's memory), of the tile and `by` halos around it.
template <class Visit>
void each_cell(const Tile& tile, const TiledLaunch& l, int by, const Visit& visit) {
  Index x{};
  const auto along = [&](auto& self, int a, long at) -> void {
    if (a < 0) return visit(x, static_cast<std::size_t>(at));
    for (x[a] = tile.own.lo[a] - by * l.halo[a]; x[a] < tile.own.hi[a] + by * l.halo[a]; ++x[a])
      self(self, a - 1, at + (x[a] - tile.own.lo[a] + l.halo[a]) * l.near_stride[a]);
  };
  along(along, tile.own.dims - 1, 0);
}

template <int D>
void expect_delivered(World& world, Random& random) {
  GridOptions options;
  std::array<long, D> extents;
  std::array<bool, kMaxDims> periodic{};
  const int reach = static_cast<int>(pick(random, 1, 2));
  options.halo = reach;
  for (int a = 0; a < D; ++a) {
    extents[static_cast<std::size_t>(a)] = pick(random, 16, D == 2 ? 60 : 24);
    periodic[static_cast<std::size_t>(a)] = pick(random, 0, 1) != 0;
  }
  options.periodic = periodic;
  const Grid<D> grid(world, extents, options);
  const Field<float> u(grid, "u"), v(grid, "v");
  const GridCore& core = *grid.core();
  const auto march = march_at(
      program(sweep(Far<D>{}, grid.inner(reach), reads(u, box(reach)), writes(v)), swap(u, v)), 1, 9, 4);
  ASSERT_TRUE(march);
  const Roles roles = roles_of(*march);
  ASSERT_EQ(roles.trouble, "");

  TilingChoice choice;
  choice.depth = static_cast<int>(pick(random, 1, 3));
  for (int a = 0; a < D; ++a) {
    choice.tiles[a] = static_cast<int>(pick(random, 1, 3));
    choice.depth = std::min<int>(choice.depth, static_cast<int>(core.cut().smallest_block(a)) / reach);
  }
  TiledLaunch l = lay_out(*march, roles, choice);
  const TileMail mail(*march, roles, l);
  mail.tell(l);
  ASSERT_EQ(l.mails, 1);

  std::string shape = "reach " + std::to_string(reach) + ", depth " + std::to_string(l.depth);
  for (int a = 0; a < D; ++a)
    shape += ", axis of " + std::to_string(extents[static_cast<std::size_t>(a)]) + " by " +
             std::to_string(core.cut().ranks[a]) + " ranks and " + std::to_string(l.tiles[a]) + " tiles" +
             (core.periodic(a) ? ", periodic" : "");
  SCOPED_TRACE(shape);
  std::vector<Tile> tiles = tiles_of(core, l);
  const auto number_at = [&](const Index& local) {
    Index x = local;
    for (int a = 0; a < D; ++a) x[a] += core.owned().lo[a];
    return number_of(core, x);
  };
  // A number of 4 bytes and its turn are 8 bytes of a mail.
  const auto mail_of = [&](int box) { return reinterpret_cast<long*>(l.boxes[box].mail[0][0]); };
  long sent = 0;
  for (int t = 0; t < l.blocks; ++t) {
    Tile& tile = tiles[static_cast<std::size_t>(t)];
    each_cell(tile, l, 0, [&](const Index& x, std::size_t at) { tile.cells[at] = number_at(x); });
    for (int k = l.put_from[t]; k < l.put_from[t + 1]; ++k) {
      const TiledPut& put = l.puts[k];
      EXPECT_LT(put.box, l.box_count);
      if (put.box >= l.box_count) continue;
      mail_of(put.box)[put.mail] = tile.cells[static_cast<std::size_t>(put.near)];
      sent += put.box != 0 ? 8 : 0;
    }
  }
  EXPECT_EQ(sent, mail.bytes());
  barrier(world);
  for (int t = 0; t < l.blocks; ++t) {
    Tile& tile = tiles[static_cast<std::size_t>(t)];
    std::vector<int> sender(tile.cells.size(), kNothing);
    for (int k = l.take_from[t]; k < l.take_from[t + 1]; ++k) {
      const auto near = static_cast<std::size_t>(l.takes[k].near);
      EXPECT_EQ(tile.cells[near], kNothing) << "taken twice, or its own";
      tile.cells[near] = mail_of(0)[l.takes[k].mail];
      sender[near] = l.take_rank[k];
    }
    if (tile.own.empty()) continue; // where a block has fewer cells than the longest has tiles
    int wrong = 0;
    each_cell(tile, l, 1, [&](const Index& x, std::size_t at) {
      Index global = x;
      for (int a = 0; a < D; ++a) global[a] += core.owned().lo[a];
      wrong +=
          tile.cells[at] != number_at(x) || (sender[at] != kNothing && sender[at] != owner_of(core, global));
    });
    EXPECT_EQ(wrong, 0) << "cells of tile " << t;
  }
  barrier(world); // others still read
}

TEST(TileMail, BringsToEachCellOfAHaloWhatItsOwnerPut) {
  if (world().nodes() > 1) GTEST_SKIP() << "mail is stored into the memory of ranks of one node";
  Random random = test::random(63);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  const auto on_host = test::world_with([](Settings& s) { s.device = "host"; });
  for (int round = 0; round < 30; ++round) {
    expect_delivered<2>(*on_host, random);
    expect_delivered<3>(*on_host, random);
    if (test::any_rank(::testing::Test::HasFailure())) return;
  }
}

} // namespace
} // namespace tasuki
