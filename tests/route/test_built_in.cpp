// What is taken where nothing was measured: right enough to order the channels, for every face of every pair.
#include <tasuki/route/tuning.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace tasuki {
namespace {

TEST(BuiltIn, OrdersTheChannelsAsTheyAre) {
  for (const DeviceKind device : {DeviceKind::host, DeviceKind::cuda}) {
    const Tuning t = Tuning::built_in(device);
    EXPECT_FALSE(t.measured);
    for (const long row : {4L, 8L, 64L, 512L, 4096L, 0L})
      for (long bytes = 8; bytes < 1L << 30; bytes *= 4) {
        const FaceShape shape = row ? FaceShape::block_stride : FaceShape::block;
        const auto seconds = [&](ChannelKind c, PairKind p) { return t.predict(c, shape, row, bytes, p); };
        const double peer = seconds(ChannelKind::peer, PairKind::node);
        const double mpi = seconds(ChannelKind::mpi, PairKind::node);
        EXPECT_LT(peer, mpi);
        EXPECT_LT(mpi, seconds(ChannelKind::mpi, PairKind::far) * 1.2);
        EXPECT_EQ(mpi, seconds(ChannelKind::mpi, PairKind::subcluster));
        EXPECT_TRUE(std::isinf(seconds(ChannelKind::peer, PairKind::far)));
        EXPECT_TRUE(
            std::isinf(t.predict(ChannelKind::peer, shape, row, bytes, PairKind::node, PeerMode::pack)));
      }
  }
}

TEST(BuiltIn, KnowsEveryWayOfEveryPair) {
  using enum ChannelKind;
  const std::pair<ChannelKind, PairKind> ways[] = {
      {self, PairKind::self}, {peer, PairKind::node}, {mpi, PairKind::node}, {mpi, PairKind::far}};
  for (const DeviceKind device : {DeviceKind::host, DeviceKind::cuda}) {
    const Tuning t = Tuning::built_in(device);
    for (const auto& [channel, pair] : ways) {
      const auto cost = [&, channel = channel, pair = pair](FaceShape shape, long row) {
        return t.cost(channel, shape, row, pair, PeerMode::stores);
      };
      const auto block = cost(FaceShape::block, 0), rows = cost(FaceShape::block_stride, 64),
                 scattered = cost(FaceShape::stride, 8);
      EXPECT_GT(block.latency, 0);
      EXPECT_LT(block.latency, 1e-3);
      EXPECT_LT(scattered.bandwidth, rows.bandwidth); // what lies together travels faster
      EXPECT_LT(rows.bandwidth, block.bandwidth);
    }
    const DeviceConstants& d = t.device;
    EXPECT_GT(d.stream_bandwidth, 1e9);
    EXPECT_GT(d.launch, 0);
    EXPECT_EQ(d.graph_node > 0, device == DeviceKind::cuda);
    EXPECT_EQ(t.machine.device, device == DeviceKind::cuda ? "cuda" : "host");
  }
}

} // namespace
} // namespace tasuki
