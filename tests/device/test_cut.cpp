// Which boxes are cut into columns, and which into tiles. That the walks over both are right: kernel/test_walk.cpp.
#include <tasuki/device/cut.hpp>

#include <gtest/gtest.h>

namespace tasuki::detail {
namespace {

ReadShape reach(int dims, int cells, int order) {
  ReadShape shape;
  for (int a = 0; a < dims; ++a) shape.below[a] = shape.above[a] = static_cast<signed char>(cells);
  shape.order = static_cast<signed char>(order);
  return shape;
}
Box cube(int dims, long cells) {
  Box box;
  box.dims = dims;
  for (int a = 0; a < dims; ++a) box.hi[static_cast<std::size_t>(a)] = cells;
  return box;
}

TEST(Cut, CountsTheNumbersThatACellReads) {
  EXPECT_EQ(points_of(reach(2, 1, 1), 2), 5);
  EXPECT_EQ(points_of(reach(3, 1, 1), 3), 7);
  EXPECT_EQ(points_of(reach(3, 1, 2), 3), 19);
  EXPECT_EQ(points_of(reach(3, 1, 6), 3), 27);
  EXPECT_EQ(points_of(reach(3, 4, 1), 3), 25);
}

TEST(Cut, MakesColumnsWhereCellsReadMuchAndAreMany) {
  const std::size_t shared = 227 << 10;
  EXPECT_TRUE(columns_of<3>(cube(3, 512), reach(3, 1, 6), 8, shared));
  EXPECT_TRUE(columns_of<3>(cube(3, 512), reach(3, 4, 1), 8, shared));
  EXPECT_TRUE(columns_of<2>(cube(2, 8192), reach(2, 4, 1), 4, shared));
  EXPECT_FALSE(columns_of<3>(cube(3, 512), reach(3, 1, 1), 8, shared));   // seven points
  EXPECT_FALSE(columns_of<3>(cube(3, 64), reach(3, 1, 6), 8, shared));    // too few for all processors
  EXPECT_FALSE(columns_of<3>(cube(3, 512), reach(3, 5, 1), 8, shared));   // reaches too far
  EXPECT_FALSE(columns_of<3>(cube(3, 512), reach(3, 4, 1), 8, 99 << 10)); // too large for this GPU
  EXPECT_FALSE(columns_of<3>(Box{}, reach(3, 1, 6), 8, shared));
}

TEST(Cut, HasOneTileForEveryCell) {
  Box boxes[2] = {cube(3, 100), cube(3, 7)};
  boxes[1].lo = {-2, 3, 5};
  const auto tiling = tiling_of<3>(boxes, 2, 8);
  ASSERT_EQ(tiling.boxes, 2);
  EXPECT_EQ(tiling.box[0].first_block, 0u);
  for (int b = 0; b < 2; ++b) {
    const TiledBox<3>& box = tiling.box[b];
    unsigned tiles = 1;
    for (int a = 0; a < 3; ++a) {
      const int cells = window_of(8, a, 3) << box.log[a];
      EXPECT_GE(box.tiles[a] * cells, box.n[a]) << b << ", axis " << a;
      tiles *= static_cast<unsigned>(box.tiles[a]);
    }
    EXPECT_EQ(box.first_block + tiles, b == 0 ? tiling.box[1].first_block : tiling.blocks);
  }
}

} // namespace
} // namespace tasuki::detail
