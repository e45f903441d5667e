// The cost of faces that decompose() assumes, before the grid exists.
//
// decompose(request, exchange_cost(constants, true, 8));  // GPUs, eight a node
#pragma once

#include <tasuki/field/decompose.hpp>
#include <tasuki/route/tuning.hpp>

namespace tasuki {

// Within a node the built-in cost, between nodes the constants of messages. ranks_a_node 0: all ranks are on one node.
ExchangeCost exchange_cost(const Tuning& constants, bool cuda, int ranks_a_node);

// The cost for the ranks of this run. Collective with the first grid of a device.
ExchangeCost exchange_cost(Device& device);

} // namespace tasuki
