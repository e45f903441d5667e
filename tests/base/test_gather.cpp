// Gathers on any number of ranks, with as many values a rank as it likes.
#include <tasuki/base/gather.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

namespace tasuki {
namespace {

using test::world;

TEST(Gather, BringsEveryonesValuesToEveryone) {
  const int rank = world().rank(), size = world().size();
  Gather gather(world(), rank % 3); // some bring none
  for (int turn = 0; turn < 5; ++turn) {
    std::vector<double> mine(static_cast<std::size_t>(rank % 3), 100.0 * turn + rank), want;
    for (int r = 0; r < size; ++r) want.insert(want.end(), static_cast<std::size_t>(r % 3), 100.0 * turn + r);
    EXPECT_EQ(gather(mine), want);
  }
  EXPECT_EQ(gather.count(rank), rank % 3);
}

TEST(Gather, RefusesAnotherNumberOfValues) {
  Gather gather(world(), 2);
  EXPECT_THROW(gather({1.0}), Error);
}

TEST(Gather, RefusesMoreThanCanBeCounted) {
  if (world().size() == 1) GTEST_SKIP() << "one rank gathers what it has";
  EXPECT_THROW(Gather(world(), 1 << 30), Error);
}

TEST(Gather, BringsBytesToRoot) {
  const int rank = world().rank(), size = world().size();
  const std::vector<char> mine(static_cast<std::size_t>(1000 * rank), static_cast<char>(rank));
  const auto pieces = gather_on_root(world(), mine);
  if (rank != 0) {
    EXPECT_TRUE(pieces.empty());
    return;
  }
  ASSERT_EQ(pieces.size(), static_cast<std::size_t>(size));
  for (int r = 0; r < size; ++r)
    EXPECT_EQ(pieces[r], std::vector<char>(static_cast<std::size_t>(1000 * r), static_cast<char>(r)));
}

TEST(Gather, PassesOnRoundTheRing) {
  const int rank = world().rank(), size = world().size();
  const std::vector<char> mine(static_cast<std::size_t>(10 + rank), static_cast<char>(rank));
  for (const int by : {1, -1}) {
    const int from = ((rank - by) % size + size) % size;
    EXPECT_EQ(pass_on(world(), mine, by),
              std::vector<char>(static_cast<std::size_t>(10 + from), static_cast<char>(from)));
  }
  EXPECT_EQ(of_root(world(), 40L + rank), 40);
  EXPECT_EQ(of_root(world(), 0.5 + rank), 0.5);
}

} // namespace
} // namespace tasuki
