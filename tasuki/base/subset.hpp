// Some ranks of a world with a communicator of their own, made by them alone.
//
//   if (world.rank() % 2 == 0) {
//     const Ranks even = subset(world, {0, 2, 4});
//     barrier(even);
//   }
#pragma once

#include <tasuki/base/ranks.hpp>

#include <vector>

namespace tasuki {

// `ranks`: of the world, in any order; the members' places are ascending in it. Each set is made once a world and ends
// with it: asking for the same set again gives the same communicator, without a message. The first time it is collective over the
// members alone, and ranks that are in several sets make those in one order.
//
// Throws Error where the list is empty, has a rank twice, one that the world has not, or not the calling one, and where a
// member makes another set at the time.
Ranks subset(World& world, std::vector<int> ranks);

// Those of `ranks` that share this rank's node. Collective over them, as subset().
Ranks on_node(const Ranks& ranks);

// For a world that begins: what is kept first ends last, so all that is made of subsets ends before them.
void keep_subsets(World& world);

} // namespace tasuki
