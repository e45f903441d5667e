// How deep a halo is valid: exchanged, written in parts, touched.
#include <tasuki/field/validity.hpp>

#include <gtest/gtest.h>

namespace tasuki {
namespace {

Depth depth(int width, int order) {
  Depth d;
  d.width[0] = d.width[1] = Width(width);
  d.order = order;
  return d;
}
Box box(long lo, long hi) {
  Box b;
  b.dims = 2;
  b.lo = {lo, lo};
  b.hi = {hi, hi};
  return b;
}

TEST(Depth, CoversWhatIsNoDeeperAndHasNoMoreCorners) {
  EXPECT_TRUE(covers(depth(2, 2), depth(1, 1), 2));
  EXPECT_TRUE(covers(depth(2, 1), depth(2, 1), 2));
  EXPECT_FALSE(covers(depth(2, 1), depth(2, 2), 2)); // the corners are missing
  EXPECT_FALSE(covers(depth(1, 2), depth(2, 1), 2));
  EXPECT_TRUE(covers(depth(0, 0), depth(0, 2), 2)); // nothing is always there
  Depth along{};
  along.width[0] = Width(0, 1);
  along.order = 6; // a box that is wide along one axis has no corners
  EXPECT_TRUE(covers(depth(1, 1), along, 2));
  Depth below{};
  below.width[0] = Width(1, 0);
  below.order = 1;
  EXPECT_FALSE(covers(along, below, 2));
}

TEST(Depth, LeastAndMostGoAxisByAxisAndSideBySide) {
  Depth a{}, b{};
  a.width[0] = Width(1, 3);
  a.order = 1;
  b.width[0] = Width(2, 2);
  b.width[1] = Width(4, 0);
  b.order = 2;
  EXPECT_EQ(least(a, b).width[0], Width(1, 2));
  EXPECT_EQ(least(a, b).width[1], Width(0));
  EXPECT_EQ(least(a, b).order, 1);
  EXPECT_EQ(most(a, b).width[0], Width(2, 3));
  EXPECT_EQ(most(a, b).width[1], Width(4, 0));
  EXPECT_EQ(most(a, b).order, 2);
  EXPECT_EQ(most(a, depth(0, 2)).order, 1); // a halo that is valid nowhere has no corners
}

TEST(Validity, IsNoneAtFirst) {
  const Validity v(box(0, 10));
  EXPECT_FALSE(covers(v.depth(), depth(1, 1), 2));
  EXPECT_TRUE(covers(v.depth(), depth(0, 0), 2));
}

TEST(Validity, FollowsExchangesAndWrites) {
  Validity v(box(0, 10));
  v.exchanged(depth(3, 2), 2);
  EXPECT_EQ(v.depth(), depth(3, 2));
  v.written(box(2, 8), depth(1, 2)); // in part: the least holds
  EXPECT_EQ(v.depth(), depth(1, 2));
  v.written(box(2, 8), depth(2, 2)); // the same part again
  EXPECT_EQ(v.depth(), depth(2, 2));
  v.written(box(3, 4), depth(0, 2)); // a part of the part
  EXPECT_FALSE(covers(v.depth(), depth(1, 1), 2));
  v.written(box(1, 9), depth(2, 2)); // covers both
  EXPECT_EQ(v.depth(), depth(2, 2));
  v.exchanged(depth(3, 2), 2);
  EXPECT_EQ(v.depth(), depth(3, 2));
  v.written(box(0, 10), depth(2, 2)); // everywhere
  EXPECT_EQ(v.depth(), depth(2, 2));
}

TEST(Validity, AShallowerExchangeTakesNothingAway) {
  Validity v(box(0, 10));
  v.exchanged(depth(3, 2), 2);
  v.exchanged(depth(1, 1), 2);
  EXPECT_EQ(v.depth(), depth(3, 2));
}

TEST(Validity, StaysSmallHoweverOftenPartsAreWritten) {
  Validity v(box(0, 10)), once(box(0, 10));
  once.exchanged(depth(1, 2), 2);
  once.written(box(1, 9), depth(0, 2));
  v.exchanged(depth(1, 2), 2);
  for (int i = 0; i < 100; ++i) v.written(box(1, 9), depth(0, 2));
  EXPECT_EQ(v, once); // so that a program in its stride finds its steps again
}

TEST(Validity, TouchedHoldsNothing) {
  Validity v(box(0, 10));
  v.exchanged(depth(3, 2), 2);
  v.written(box(1, 9), depth(2, 2));
  v.touched();
  EXPECT_FALSE(covers(v.depth(), depth(1, 1), 2));
  EXPECT_EQ(v, Validity(box(0, 10)));
}

} // namespace
} // namespace tasuki
