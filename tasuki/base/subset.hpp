// subset() creates a group of some ranks of a world with its own communicator; only these ranks call it.
//
//   if (world.rank() % 2 == 0) {
//     const Ranks even = subset(world, {0, 2, 4});
//     barrier(even);
//   }
#pragma once

#include <tasuki/base/ranks.hpp>

#include <vector>

namespace tasuki {

// `ranks`: world ranks, in any order; positions follow ascending ranks. A world creates each set once and
// caches it: later calls return the same communicator without a message. The first call is collective
// over the members; a rank in several sets must create them in the same order as the other ranks.
//
// Throws Error if the list is empty, contains a rank twice, a rank that does not exist, or not
// the calling rank, or if a member creates another set at the same time.
Ranks subset(World& world, std::vector<int> ranks);

// Those of `ranks` that are on this rank's node. Collective over them, as subset().
Ranks on_node(const Ranks& ranks);

// Called by a new world: subsets are created first and destroyed last, after everything that uses them.
void keep_subsets(World& world);

} // namespace tasuki
