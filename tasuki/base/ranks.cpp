#include <tasuki/base/ranks.hpp>

#include <algorithm>

namespace tasuki {

Ranks::Ranks(World& world) : world_(&world), comm_(world.comm()), place_(world.rank()) {}

Ranks::Ranks(World& world, MPI_Comm comm, std::shared_ptr<const std::vector<int>> members)
    : world_(&world), comm_(comm), members_(std::move(members)), place_(place_of(world.rank()).value()) {}

namespace {

// Cached per world, since it loops over the nodes of all ranks.
struct NodeMembers {
  explicit NodeMembers(World& world) {
    std::vector<int> members;
    for (int r = 0; r < world.size(); ++r)
      if (world.same_node(r, world.rank())) members.push_back(r);
    list = std::make_shared<const std::vector<int>>(std::move(members));
  }
  std::shared_ptr<const std::vector<int>> list;
};

} // namespace

Ranks Ranks::of_node(World& world) { return {world, world.node_comm(), world.part<NodeMembers>().list}; }

std::optional<int> Ranks::place_of(int rank) const {
  if (!members_) return rank >= 0 && rank < world_->size() ? std::optional(rank) : std::nullopt;
  const auto found = std::lower_bound(members_->begin(), members_->end(), rank);
  if (found == members_->end() || *found != rank) return std::nullopt;
  return static_cast<int>(found - members_->begin());
}

} // namespace tasuki
