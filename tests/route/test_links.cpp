// What joins two ranks, of worlds that need not exist: hosts, nodes of a host, and who stores into whose memory.
#include <tasuki/route/links.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

namespace tasuki {
namespace {

// Node by rank; so many nodes stand on one host.
Places places_of(const std::vector<int>& node, int nodes_a_host = 1) {
  Places places;
  std::vector<int> seen(node.size());
  for (const int n : node) {
    places.node.push_back(n);
    places.host.push_back(n / nodes_a_host);
    places.node_rank.push_back(seen[static_cast<std::size_t>(n)]++);
  }
  return places;
}
bool everybody(int, int) { return true; }

TEST(Links, NameWhatJoinsAPair) {
  const Links links(places_of({0, 1, 0, 1, 2, 2}, 2), everybody); // nodes 0 and 1 are of one host
  EXPECT_EQ(links.size(), 6);
  EXPECT_EQ(links.pair(3, 3), PairKind::self);
  EXPECT_EQ(links.pair(0, 2), PairKind::node);
  EXPECT_EQ(links.pair(0, 1), PairKind::subcluster);
  EXPECT_EQ(links.pair(4, 1), PairKind::far);
  EXPECT_EQ(links.ranks_a_node(), 2);
  for (int a = 0; a < 6; ++a)
    for (int b = 0; b < 6; ++b) {
      EXPECT_EQ(links.pair(a, b), links.pair(b, a));
      EXPECT_EQ(links.peer(a, b), links.node(a) == links.node(b));
    }
}

TEST(Links, KnowWhoStoresIntoWhoseMemory) {
  // Ranks of a node lie apart, and only neighbours by number within it reach each other.
  const std::vector<int> node{1, 0, 1, 0, 0, 1, 1};
  const Places places = places_of(node);
  const auto reaches = [&](int a, int b) {
    return std::abs(places.node_rank[static_cast<std::size_t>(a)] -
                    places.node_rank[static_cast<std::size_t>(b)]) <= 1;
  };
  const Links links(places, reaches);
  EXPECT_EQ(links.ranks_a_node(), 0); // three and four
  for (int a = 0; a < 7; ++a)
    for (int b = 0; b < 7; ++b)
      EXPECT_EQ(links.peer(a, b),
                node[static_cast<std::size_t>(a)] == node[static_cast<std::size_t>(b)] && reaches(a, b))
          << a << " and " << b;
}

TEST(Links, AreAlikeOrNot) {
  const auto nobody = [](int a, int b) { return a == b; };
  const auto some = [](int a, int b) { return (a < 2) == (b < 2); };
  EXPECT_TRUE(Links(places_of({0}), everybody).alike());
  EXPECT_TRUE(Links(places_of({0, 0, 0}), everybody).alike());
  EXPECT_TRUE(Links(places_of({0, 0, 0}), nobody).alike());
  EXPECT_FALSE(Links(places_of({0, 0, 0, 0}), some).alike());
  EXPECT_TRUE(Links(places_of({0, 1, 2}), everybody).alike());
  EXPECT_TRUE(Links(places_of({0, 1, 2}, 3), everybody).alike());
  EXPECT_FALSE(Links(places_of({0, 1, 2, 3}, 2), everybody).alike()); // two hosts of two nodes
  EXPECT_FALSE(Links(places_of({0, 0, 1, 1}), everybody).alike());
}

TEST(Links, OfARunAreThoseOfItsWorld) {
  World& world = test::world();
  const Links& links = world.part<Device>().part<Links>();
  ASSERT_EQ(links.size(), world.size());
  const Device& device = test::device();
  for (int r = 0; r < world.size(); ++r) {
    EXPECT_EQ(links.node(r), world.node_of(r));
    if (world.node_of(r) == world.node_of(world.rank())) {
      EXPECT_EQ(links.peer(world.rank(), r), device.reaches(world.node_rank_of(r)));
    }
  }
}

} // namespace
} // namespace tasuki
