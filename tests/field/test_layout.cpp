// Where cells lie: aligned rows, little padding, a place for every cell of the halo.
#include <tasuki/field/layout.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace tasuki {
namespace {

using test::pick;
using test::Random;

TEST(Layout, PadsAnEighthAtMostAndHoldsEveryCell) {
  Random random = test::random(7);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (int round = 0; round < 2000; ++round) {
    const int dims = static_cast<int>(pick(random, 1, 4));
    Index extents{};
    Widths halo{};
    Box whole;
    whole.dims = dims;
    for (int a = 0; a < dims; ++a) {
      extents[a] = pick(random, 1, a == 0 ? 700 : 20);
      halo[a] = Width(static_cast<int>(pick(random, 0, 5)), static_cast<int>(pick(random, 0, 5)));
      whole.lo[a] = -halo[a].lo;
      whole.hi[a] = extents[a] + halo[a].hi;
    }
    const Layout l = layout_of(dims, extents, halo);
    const long row = whole.extent(0);
    EXPECT_EQ(l.stride[0], 1);
    if (dims > 1) {
      EXPECT_GE(l.stride[1], row);
      EXPECT_LE(l.stride[1] * 8, row * 9); // padding
    }
    for (int a = 2; a < dims; ++a) EXPECT_EQ(l.stride[a], l.stride[a - 1] * whole.extent(a - 1));
    // The first and the last cell of the halo lie inside, and so does all between them.
    Index last = whole.hi;
    for (int a = 0; a < dims; ++a) --last[a];
    EXPECT_GE(l.lead + l.index(whole.lo), 0);
    EXPECT_LT(l.lead + l.index(last), l.plane);
    EXPECT_EQ(l.plane % 64, 0);
  }
}

TEST(Layout, AlignsTheFirstOwnedCellOfEveryRow) {
  for (const long n : {256L, 510L, 1000L, 4096L})
    for (const int width : {0, 1, 2, 4}) {
      Widths halo{};
      halo.fill(Width(width));
      const Layout l = layout_of(3, {n, 7, 5}, halo);
      for (long z = -width; z < 5 + width; ++z)
        for (long y = -width; y < 7 + width; ++y)
          EXPECT_EQ((l.lead + l.index({0, y, z})) % 32, 0)
              << n << " cells, halo " << width << ", row " << y << ' ' << z;
    }
}

TEST(Layout, PadsLessOnACpu) {
  Widths halo{};
  halo.fill(Width(1));
  for (const long n : {62L, 126L, 256L, 510L, 4096L}) {
    const Layout cpu = layout_of(2, {n, 9}, halo, Padding::cpu),
                 gpu = layout_of(2, {n, 9}, halo, Padding::gpu);
    EXPECT_LE(cpu.stride[1], gpu.stride[1]) << n;
    EXPECT_EQ((cpu.lead + cpu.index({0, 3})) % 8, 0) << n;
  }
  EXPECT_EQ(layout_of(2, {256, 9}, halo, Padding::cpu).stride[1], 264);
  EXPECT_EQ(layout_of(2, {256, 9}, halo, Padding::gpu).stride[1], 288);
}

TEST(Layout, DependsOnNothingButTheBlock) {
  Widths halo{};
  halo.fill(Width(2, 1));
  const Layout a = layout_of(2, {100, 50}, halo), b = layout_of(2, {100, 50}, halo);
  EXPECT_EQ(a.lead, b.lead);
  EXPECT_EQ(a.plane, b.plane);
  EXPECT_EQ(a.stride, b.stride);
}

} // namespace
} // namespace tasuki
