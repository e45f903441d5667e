// A lattice times columns: cut as the lattice is, and never along the columns.
#include <apps/wilson/lattice/block.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

namespace tasuki::wilson {
namespace {

using test::world;

TEST(Block, IsCutAsItsLattice) {
  const Lattice lattice(world(), {8, 4, 4, 8});
  for (const int columns : {1, 5, 12}) {
    const Block block(lattice, columns);
    EXPECT_EQ(block.columns(), columns);
    const Decomposition &cut = block.grid().core()->cut(), &sites = lattice.grid().core()->cut();
    EXPECT_EQ(cut.dims, kBlockAxes);
    EXPECT_EQ(cut.extents[kColumnAxis], columns);
    EXPECT_EQ(cut.ranks[kColumnAxis], 1);
    EXPECT_FALSE(cut.exchanges(kColumnAxis)); // no halo of columns
    const Box mine = block.grid().core()->owned(), sites_of_mine = lattice.grid().core()->owned();
    EXPECT_EQ(mine.cells(), columns * sites_of_mine.cells());
    for (int mu = 0; mu < kAxes; ++mu) {
      EXPECT_EQ(cut.ranks[block_axis(mu)], sites.ranks[mu]);
      EXPECT_EQ(cut.extents[block_axis(mu)], sites.extents[mu]);
      EXPECT_EQ(mine.lo[block_axis(mu)], sites_of_mine.lo[mu]);
      EXPECT_EQ(mine.hi[block_axis(mu)], sites_of_mine.hi[mu]);
      EXPECT_EQ(cut.exchanges(block_axis(mu)), sites.exchanges(mu));
    }
  }
}

TEST(Block, HasAllItsSitesInItsColumns) {
  const Block block(Lattice(world(), {4, 4, 4, 8}), 3);
  long cells = 0;
  for (int k = 0; k < 3; ++k) {
    const Box column = block.column(k).box;
    EXPECT_EQ(column.extent(kColumnAxis), 1);
    for (int j = 0; j < k; ++j) EXPECT_TRUE(intersect(column, block.column(j).box).empty());
    cells += column.cells();
  }
  EXPECT_EQ(cells, block.all().box.cells());
}

TEST(Block, ReadsASiteFurtherAlongEveryAxisOfTheLatticeAlone) {
  const Shape star = block_star();
  EXPECT_EQ(star.width[kColumnAxis], Width(0));
  for (int mu = 0; mu < kAxes; ++mu) EXPECT_EQ(star.width[block_axis(mu)], Width(1));
  EXPECT_EQ(star.order, 1);
}

TEST(Block, OfNoColumnsIsRefused) {
  const Lattice lattice(world(), {4, 4, 4, 4});
  EXPECT_THROW(Block(lattice, 0), Error);
  EXPECT_THROW(Block(lattice, -1), Error);
}

} // namespace
} // namespace tasuki::wilson
