// What faces cost before there is a grid: within a node, and by messages between nodes.
#include <tasuki/field/exchange_cost.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

namespace tasuki {
namespace {

Line far_line(double latency, double bandwidth) {
  return {ChannelKind::mpi, PeerMode::stores, FaceShape::block, 0, PairKind::far, latency, bandwidth, 0, {}};
}

TEST(ExchangeCost, IsTheDevicesWithinANodeAndTheMessagesBetween) {
  Tuning measured;
  measured.lines = {far_line(3e-6, 7e9)};
  for (const bool cuda : {false, true}) {
    const ExchangeCost cost = exchange_cost(measured, cuda, 8),
                       node = cuda ? exchange_cost_cuda() : exchange_cost_host();
    EXPECT_EQ(cost.latency, node.latency);
    EXPECT_EQ(cost.bandwidth, node.bandwidth);
    EXPECT_EQ(cost.far_latency, 3e-6);
    EXPECT_EQ(cost.far_bandwidth, 7e9);
    EXPECT_EQ(cost.ranks_a_node, 8);
  }
}

TEST(ExchangeCost, TakesWhatIsBuiltInWhereOneHostWasTuned) {
  Tuning one_host;
  one_host.lines = {
      {ChannelKind::mpi, PeerMode::stores, FaceShape::block, 0, PairKind::node, 1e-6, 1e9, 0, {}}};
  for (const DeviceKind kind : {DeviceKind::host, DeviceKind::cuda}) {
    const auto far =
        Tuning::built_in(kind).cost(ChannelKind::mpi, FaceShape::block, 0, PairKind::far, PeerMode::stores);
    const ExchangeCost cost = exchange_cost(one_host, kind == DeviceKind::cuda, 4);
    EXPECT_EQ(cost.far_latency, far.latency);
    EXPECT_EQ(cost.far_bandwidth, far.bandwidth);
  }
}

// Messages that cost more than faces within a node: nodes get bricks, whose faces are the smallest.
TEST(ExchangeCost, CutsByNodesWhereMessagesAreDear) {
  DecompositionRequest r;
  r.dims = 3;
  r.extents = {256, 256, 256};
  r.halo.fill(Width(1));
  r.size = 16;
  Tuning dear;
  dear.lines = {far_line(1e-3, 1e6)};
  const Decomposition by_nodes = decompose(r, exchange_cost(dear, true, 8));
  EXPECT_EQ(by_nodes.size(), 16);
  const ExchangeCost one_node = exchange_cost(dear, true, 0);
  EXPECT_EQ(one_node.ranks_a_node, 0); // and the price of messages is then nobody's
  const Decomposition alone = decompose(r, one_node);
  Tuning cheap;
  cheap.lines = {far_line(1e-9, 1e12)};
  EXPECT_EQ(alone.ranks, decompose(r, exchange_cost(cheap, true, 0)).ranks);
}

TEST(ExchangeCost, OfARunKnowsItsNodes) {
  World& world = test::world();
  const ExchangeCost cost = exchange_cost(world.part<Device>());
  if (world.nodes() == 1) {
    EXPECT_EQ(cost.ranks_a_node, 0);
  } else {
    EXPECT_GE(cost.ranks_a_node, 1);
    EXPECT_LT(cost.ranks_a_node, world.size());
  }
}

} // namespace
} // namespace tasuki
