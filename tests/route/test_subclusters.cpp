#include <tasuki/device/buffer.hpp>
#include <tasuki/route/links.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace tasuki {
namespace {

TEST(Subclusters, AreNodesOfOneHost) {
  World& whole = test::world();
  if (whole.host_count() > 1) GTEST_SKIP() << "counts on one host";
  for (int n = 1; n <= whole.size(); ++n) {
    const auto world = test::world_with([&](Settings& s) { s.subclusters = n; });
    EXPECT_EQ(world->nodes(), n);
    EXPECT_EQ(world->host_count(), 1);
    EXPECT_EQ(world->host_size(), whole.size());
    EXPECT_EQ(world->host_rank(), whole.rank());
    int least = whole.size(), most = 0, sum = 0;
    std::vector<int> sizes(static_cast<std::size_t>(n), 0);
    for (int r = 0; r < world->size(); ++r) {
      ++sizes[static_cast<std::size_t>(world->node_of(r))];
      EXPECT_TRUE(world->same_host(0, r));
      EXPECT_GE(world->node_of(r), world->node_of(std::max(0, r - 1))); // consecutive ranks
    }
    for (const int size : sizes) {
      least = std::min(least, size);
      most = std::max(most, size);
      sum += size;
    }
    EXPECT_LE(most, least + 1);
    EXPECT_EQ(sum, world->size());
    EXPECT_EQ(world->node_size(), sizes[static_cast<std::size_t>(world->node())]);

    const Links& links = world->part<Device>().part<Links>();
    for (int a = 0; a < world->size(); ++a)
      for (int b = 0; b < world->size(); ++b) {
        const bool near = world->same_node(a, b);
        EXPECT_EQ(links.pair(a, b), a == b ? PairKind::self : near ? PairKind::node : PairKind::subcluster);
        if (!near) {
          EXPECT_FALSE(links.peer(a, b));
        }
        EXPECT_EQ(links.peer(a, b), links.peer(b, a));
      }
    // What a subcluster lends is its own.
    SharedBuffer buffer(world->part<Device>(), 64);
    for (int r = 0; r < world->node_size(); ++r)
      if (world->part<Device>().reaches(r)) {
        EXPECT_NE(buffer.peer(r), nullptr);
      }
  }
}

TEST(Subclusters, MoreThanRanksAreRefused) {
  const int size = test::world().host_size();
  for (const int n : {0, -1, size + 1, 1000}) {
    try {
      const auto world = test::world_with([&](Settings& s) { s.subclusters = n; });
      FAIL() << n << " were not refused";
    } catch (const Error& fault) {
      EXPECT_NE(std::string(fault.what()).find("--subclusters " + std::to_string(n) + ", but a host has "),
                std::string::npos)
          << fault.what();
    }
  }
}

} // namespace
} // namespace tasuki
