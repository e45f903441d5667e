// Groups of ranks: the place of a rank and the rank of a place, of a world, of a node and of a list, each
// against the list itself.
#include <tasuki/base/gather.hpp>
#include <tasuki/base/ranks.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace tasuki {
namespace {

// This rank's group is the ranks of this list, in its order, and no others; `communicates`: by a communicator
// of just these.
void expect_group(const Ranks& ranks, const std::vector<int>& members, bool communicates) {
  World& world = ranks.world();
  ASSERT_EQ(ranks.size(), static_cast<int>(members.size()));
  for (int place = 0; place < ranks.size(); ++place)
    EXPECT_EQ(ranks.rank(place), members[static_cast<std::size_t>(place)]);
  EXPECT_EQ(ranks.rank(ranks.place()), world.rank());
  for (int rank = -2; rank <= world.size() + 1; ++rank) {
    const auto at = std::find(members.begin(), members.end(), rank);
    const auto place = ranks.place_of(rank);
    ASSERT_EQ(place.has_value(), at != members.end()) << "rank " << rank;
    if (place) {
      EXPECT_EQ(*place, at - members.begin());
    }
  }
  if (!communicates) return;
  int size = 0, place = -1;
  MPI_Comm_size(ranks.comm(), &size);
  MPI_Comm_rank(ranks.comm(), &place);
  EXPECT_EQ(size, ranks.size());
  EXPECT_EQ(place, ranks.place());
  EXPECT_EQ(gather_rows(ranks, std::vector{world.rank()}), members);
}

TEST(Ranks, OfAWorldAreAll) {
  World& world = test::world();
  std::vector<int> all(static_cast<std::size_t>(world.size()));
  std::iota(all.begin(), all.end(), 0);
  expect_group(world, all, true);
}

TEST(Ranks, OfANodeAreThoseThatShareIt) {
  for (int nodes = 1; nodes <= test::world().size(); ++nodes) {
    SCOPED_TRACE(std::to_string(nodes) + " nodes");
    const auto split = test::world_with([&](Settings& settings) { settings.subclusters = nodes; });
    std::vector<int> members;
    for (int rank = 0; rank < split->size(); ++rank)
      if (split->node_of(rank) == split->node()) members.push_back(rank);
    expect_group(Ranks::of_node(*split), members, true);
    expect_group(Ranks::of_node(*split), members, true); // the list that is kept
  }
}

// Lists without a communicator of their own: what is asked is of the list alone.
TEST(Ranks, OfAListAreFoundInIt) {
  World& world = test::world();
  test::Random random = test::random(85);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (int round = 0; round < 50; ++round) {
    std::vector<int> members;
    for (int rank = 0; rank < world.size(); ++rank)
      if (rank == world.rank() || test::pick(random, 0, 1)) members.push_back(rank);
    const Ranks ranks(world, world.comm(), std::make_shared<const std::vector<int>>(members));
    expect_group(ranks, members, false);
    const Ranks copied = ranks;
    EXPECT_EQ(copied.place(), ranks.place());
  }
}

} // namespace
} // namespace tasuki
