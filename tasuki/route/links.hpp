// What joins any two ranks of a world, as one device of theirs sees it: the same answer on every rank.
//
// const Links& links = device.part<Links>();
// links.pair(0, 9);      // PairKind::far: they are on other hosts
// links.peer(0, 1);      // true: each can store into the other's memory
#pragma once

#include <tasuki/device/device.hpp>
#include <tasuki/route/kinds.hpp>

#include <functional>
#include <vector>

namespace tasuki {

// Where ranks are: a number an entry, by rank.
struct Places {
  std::vector<int> host, node; // which one, from 0
  std::vector<int> node_rank;  // its number among the ranks of its node
};

// A part of its device: device.part<Links>(). The first use is collective. Memory and time grow with the number of ranks
// and with the ranks of a node, never with the pairs of ranks.
class Links {
public:
  explicit Links(const Device& device);
  // Of ranks that need not exist: reaches(a, b) is asked for two ranks of one node.
  Links(Places places, const std::function<bool(int a, int b)>& reaches);

  int size() const { return static_cast<int>(places_.node.size()); }
  int node(int rank) const { return places_.node[static_cast<std::size_t>(rank)]; }
  PairKind pair(int a, int b) const;
  bool peer(int a, int b) const; // peer can store from one into the other's memory, and back
  bool alike() const;            // every two ranks are joined by the same
  // Ranks of a node where all nodes have as many, else 0.
  int ranks_a_node() const;

private:
  Places places_;
  std::vector<std::size_t> first_; // of each rank in reach_
  std::vector<char> reach_;        // of each rank, the ranks of its node that it reaches
};

} // namespace tasuki
