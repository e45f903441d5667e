// The links between the ranks of a world, for one kind of device. The same on every rank.
//
// const Links& links = device.part<Links>();
// links.pair(0, 9);      // PairKind::far: different hosts
// links.peer(0, 1);      // true: each can store into the other's memory
#pragma once

#include <tasuki/device/device.hpp>
#include <tasuki/route/kinds.hpp>

#include <functional>
#include <vector>

namespace tasuki {

// The positions of ranks, by rank.
struct Places {
  std::vector<int> host, node; // number of the host and of the node, from 0
  std::vector<int> node_rank;  // index among the ranks of its node
};

// A part of the device: device.part<Links>(). The first use is collective. Memory and time grow with the number of
// ranks times the number of ranks per node.
class Links {
public:
  explicit Links(const Device& device);
  // For ranks that need not exist. reaches(a, b) is called for pairs of ranks of the same node.
  Links(Places places, const std::function<bool(int a, int b)>& reaches);

  int size() const { return static_cast<int>(places_.node.size()); }
  int node(int rank) const { return places_.node[static_cast<std::size_t>(rank)]; }
  PairKind pair(int a, int b) const;
  bool peer(int a, int b) const; // both ranks can store into each other's memory
  bool alike() const;            // all pairs of ranks have the same kind of link
  // The number of ranks per node, or 0 if nodes have different numbers.
  int ranks_a_node() const;

private:
  Places places_;
  std::vector<std::size_t> first_; // by rank: index of its first entry in reach_
  std::vector<char> reach_;        // for each rank, whether it reaches each rank of its node
};

} // namespace tasuki
