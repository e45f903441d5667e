// The cost of halo faces that decompose() assumes, before the grid exists.
//
// decompose(request, exchange_cost(constants, true, 8));  // GPUs, eight a node
#pragma once

#include <tasuki/field/decompose.hpp>
#include <tasuki/route/tuning.hpp>

namespace tasuki {

// The built-in cost within a node, and the measured constants of messages between nodes. ranks_a_node 0: one node.
ExchangeCost exchange_cost(const Tuning& constants, bool cuda, int ranks_a_node);

// The cost for the ranks of this run. Collective with the first grid of a device.
ExchangeCost exchange_cost(Device& device);

} // namespace tasuki
