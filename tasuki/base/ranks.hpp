// Ranks: a group of ranks that communicate, all of a world or some of them.
//
//   const Ranks even = subset(world, {0, 2, 4}); // called by ranks 0, 2 and 4 only
//   const double sum = reduce_sum(even, mine);   // over these ranks; other ranks take no part
#pragma once

#include <tasuki/base/world.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace tasuki {

// Cheap to copy. Its communicator belongs to the world, which must outlive it.
class Ranks {
public:
  Ranks(World& world); // all ranks: functions that take Ranks also take a World
  // Members are world ranks, ascending; `comm` has them in the same order. See subset(), which creates one.
  Ranks(World& world, MPI_Comm comm, std::shared_ptr<const std::vector<int>> members);
  static Ranks of_node(World& world); // the ranks on this rank's node

  World& world() const { return *world_; }
  MPI_Comm comm() const { return comm_; }
  int size() const { return members_ ? static_cast<int>(members_->size()) : world_->size(); }
  int place() const { return place_; } // the position of this rank in the group, from 0
  int rank(int place) const {          // the world rank at a position
    return members_ ? members_->at(static_cast<std::size_t>(place)) : place;
  }
  std::optional<int> place_of(int rank) const; // none if that world rank is no member

private:
  World* world_;
  MPI_Comm comm_;
  std::shared_ptr<const std::vector<int>> members_; // null: all
  int place_ = 0;
};

} // namespace tasuki
