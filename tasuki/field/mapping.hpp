// Which rank has which block: the costliest faces on the fastest links.
#pragma once

#include <tasuki/field/decompose.hpp>
#include <tasuki/route/route.hpp>

#include <functional>
#include <string>
#include <vector>

namespace tasuki {

// Ranks as far as their links differ: kind(a, b) says what joins a and b, a number from 0 below `kinds`.
struct LinkKinds {
  int size = 1, kinds = 1;
  std::function<int(int a, int b)> kind;
  std::function<double(int kind, const Rows& face)> seconds;
  // The ranks node by node, and how many a node has; empty and 0 where nodes differ in that.
  std::vector<int> by_node;
  int ranks_a_node = 0;
};
LinkKinds link_kinds(const Links& links, const Tuning& constants); // both have to outlive it
LinkKinds link_kinds(Device& device); // by the constants of this run. Collective.

struct Mapping {
  std::vector<int> rank_of_block; // blocks count x first
  double seconds = 0;             // that the faces of the slowest rank are predicted to take
  double total = 0;               // of all ranks together, which orders mappings that are equally slow
};

// Rank r has block r.
Mapping naive_mapping(const Decomposition& cut, const Widths& halo, const LinkKinds& links);
// The rank of each block, as listed.
Mapping mapping_as(const Decomposition& cut, const Widths& halo, const LinkKinds& links,
                   std::vector<int> ranks);
// The one with the least predicted time: of all there are up to 8 ranks; beyond, blocks are numbered along every order
// of the axes, nodes take bricks of blocks of every shape, and up to 256 ranks two blocks change places while that
// helps. What is no better than the naive one is the naive one. The same on every rank. Time and memory grow with the
// number of ranks.
Mapping best_mapping(const Decomposition& cut, const Widths& halo, const LinkKinds& links);

// What --mapping asks for: auto, naive, or the rank of each block, "1,0,3,2". Throws Error where it is no such list.
Mapping mapping_for(Device& device, const Decomposition& cut, const Widths& halo, const std::string& wish);

} // namespace tasuki
