// subset() makes a group of some ranks of a world, with a communicator of their own; only these ranks call it.
//
//   if (world.rank() % 2 == 0) {
//     const Ranks even = subset(world, {0, 2, 4});
//     barrier(even);
//   }
#pragma once

#include <tasuki/base/ranks.hpp>

#include <vector>

namespace tasuki {

// `ranks`: of the world, in any order; places are in ascending order of ranks. A world makes each set once
// and keeps it: a second call for a set returns the same communicator, without a message. The first call is
// collective over the members; a rank that is in several sets makes them in the same order as the others.
//
// Throws Error if the list is empty, has a rank twice, has one that the world does not
// have, or not the calling one, and if a member makes another set at the same time.
Ranks subset(World& world, std::vector<int> ranks);

// The ranks of `ranks` that share this rank's node. Collective over them, as subset().
Ranks on_node(const Ranks& ranks);

// For a world that begins: what is kept first ends last, so all that is made of subsets ends before them.
void keep_subsets(World& world);

} // namespace tasuki
