#include <tasuki/field/exchange_cost.hpp>

#include <tasuki/route/links.hpp>

#include <algorithm>
#include <cmath>

namespace tasuki {

ExchangeCost exchange_cost(const Tuning& constants, bool cuda, int ranks_a_node) {
  ExchangeCost cost = cuda ? exchange_cost_cuda() : exchange_cost_host();
  cost.ranks_a_node = ranks_a_node;
  const auto between_nodes = [](const Tuning& known) {
    return known.cost(ChannelKind::mpi, FaceShape::block, 0, PairKind::far, PeerMode::stores);
  };
  auto far = between_nodes(constants);
  if (!std::isfinite(far.latency)) // measured on one host: messages between nodes are unknown
    far = between_nodes(Tuning::built_in(cuda ? DeviceKind::cuda : DeviceKind::host));
  cost.far_latency = far.latency;
  cost.far_bandwidth = far.bandwidth;
  return cost;
}

ExchangeCost exchange_cost(Device& device) {
  // If nodes have different numbers of ranks, no brick fits all of them: each rank then counts as a node.
  const int ranks = device.world().nodes() > 1 ? std::max(1, device.part<Links>().ranks_a_node()) : 0;
  return exchange_cost(tuning(device), device.cuda(), ranks);
}

} // namespace tasuki
