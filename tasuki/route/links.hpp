// What joins any two ranks of a world: the same answer on every rank.
#pragma once

#include <tasuki/device/device.hpp>
#include <tasuki/route/kinds.hpp>

#include <vector>

namespace tasuki {

// A part of its world: world.part<Links>(). The first use is collective.
class Links {
public:
  explicit Links(World& world);

  PairKind pair(int a, int b) const;
  bool peer(int a, int b) const; // peer can store from one into the other's memory, and back
  bool alike() const;            // every two ranks are joined by the same

private:
  const World& world_;
  std::vector<std::size_t> first_; // of each rank in reach_
  std::vector<char> reach_;        // of each rank, the ranks of its node that it reaches
};

} // namespace tasuki
