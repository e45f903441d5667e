// What faces are taken to cost when a grid is cut, before there is a grid.
//
// decompose(request, exchange_cost(constants, true, 8));  // GPUs, eight a node
#pragma once

#include <tasuki/field/decompose.hpp>
#include <tasuki/route/tuning.hpp>

namespace tasuki {

// Within a node by what is built in, between nodes by the constants of messages. ranks_a_node 0: one node has all.
ExchangeCost exchange_cost(const Tuning& constants, bool cuda, int ranks_a_node);

// Of the ranks of this run. Collective with the first grid of a device.
ExchangeCost exchange_cost(Device& device);

} // namespace tasuki
