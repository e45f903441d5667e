// A mapping gives each block to a rank, so that the costliest faces use the fastest links.
#pragma once

#include <tasuki/field/decompose.hpp>
#include <tasuki/route/route.hpp>

#include <functional>
#include <string>
#include <vector>

namespace tasuki {

// The links between ranks: kind(a, b) is the kind of the link between a and b, a number from 0 to kinds - 1.
struct LinkKinds {
  int size = 1, kinds = 1;
  std::function<int(int a, int b)> kind;
  std::function<double(int kind, const Rows& face)> seconds;
  // The ranks node by node, and the number of ranks per node; empty and 0 if nodes have different numbers.
  std::vector<int> by_node;
  int ranks_a_node = 0;
};
LinkKinds link_kinds(const Links& links, const Tuning& constants); // both have to outlive it
LinkKinds link_kinds(Device& device); // by the constants of this run. Collective.

struct Mapping {
  std::vector<int> rank_of_block; // blocks count x first
  double seconds = 0;             // predicted for the faces of the slowest rank
  double total = 0;               // of all ranks together: decides between mappings of equal `seconds`
};

// Rank r has block r.
Mapping naive_mapping(const Decomposition& cut, const Widths& halo, const LinkKinds& links);
// The mapping with these ranks, by block.
Mapping mapping_as(const Decomposition& cut, const Widths& halo, const LinkKinds& links,
                   std::vector<int> ranks);
// The mapping with the least predicted time. Up to 8 ranks it is found among all mappings. For more ranks,
// the candidates number blocks along every order of the axes and give nodes bricks of every shape; up to 256
// ranks, pairs of blocks are then exchanged as long as that helps. If none is better than the naive mapping,
// the result is the naive one. The same on every rank. Time and memory grow with the number of ranks.
Mapping best_mapping(const Decomposition& cut, const Widths& halo, const LinkKinds& links);

// The mapping of --mapping: auto, naive, or the rank of each block, "1,0,3,2". Throws Error for any other text.
Mapping mapping_for(Device& device, const Decomposition& cut, const Widths& halo, const std::string& wish);

} // namespace tasuki
