// The numbers of loans, of random sets of ranks that overlap: the same on the ranks of a set, and of no two
// loans of any rank.
#include <tasuki/base/gather.hpp>
#include <tasuki/base/mpi_info.hpp>
#include <tasuki/base/reduce.hpp>
#include <tasuki/base/subset.hpp>
#include <tasuki/transfer/lending.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace tasuki {
namespace {

// Some ranks of the world, in some rounds none.
std::vector<int> drawn_members(test::Random& random, int size) {
  std::vector<int> members;
  for (int rank = 0; rank < size; ++rank)
    if (test::pick(random, 0, 1)) members.push_back(rank);
  return members;
}

TEST(Lending, NumbersALoanAsNoneOfItsRanksHasBefore) {
  World& world = test::world();
  test::Random random = test::random(82);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  Lending lending(world);
  std::set<std::uint64_t> seen;
  for (int round = 0; round < 60; ++round) {
    const std::vector<int> members = drawn_members(random, world.size());
    if (std::find(members.begin(), members.end(), world.rank()) == members.end()) continue;
    const Ranks ranks = subset(world, members);
    const std::uint64_t number = lending.number(ranks);
    EXPECT_EQ(gather_rows(ranks, std::vector{number}), std::vector(members.size(), number)) << "one for all";
    EXPECT_TRUE(seen.insert(number).second) << number << " again";
  }
  barrier(world);
}

TEST(Lending, HasOnePostForEachSetOfRanks) {
  World& world = test::world();
  if (!mpi_serves_threads(world)) GTEST_SKIP() << "MPI serves a single thread of each rank";
  Post& all = post_of(world);
  EXPECT_EQ(all.ranks().size(), world.size());
  EXPECT_EQ(&post_of(world), &all);
  if (world.size() > 1 && world.rank() < world.size() - 1) {
    std::vector<int> but_the_last;
    for (int rank = 0; rank + 1 < world.size(); ++rank) but_the_last.push_back(rank);
    const Ranks some = subset(world, but_the_last);
    Post& own = post_of(some);
    EXPECT_NE(&own, &all);
    EXPECT_EQ(own.ranks().size(), world.size() - 1);
    EXPECT_EQ(&post_of(some), &own);
    EXPECT_EQ(&post_of(subset(world, but_the_last)), &own) << "an equal set";
  }
  barrier(world);
}

} // namespace
} // namespace tasuki
