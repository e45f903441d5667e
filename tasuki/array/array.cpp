#include <tasuki/array/array.hpp>

#include <tasuki/base/subset.hpp>

#include <algorithm>

namespace tasuki {
namespace {

std::uint64_t next_number() {
  static std::uint64_t last = 0; // not atomic: arrays are constructed by one thread
  return ++last;
}

bool all_of(const World& world, const Nodes& nodes) { return nodes.size() == world.size(); }

Holding holding_at(const Alignment& alignment, const std::vector<Shadow>& shadows, long size, int node) {
  return node < 0 ? Holding() : Holding(alignment, shadows, size, node);
}

ArrayMemory memory_for(Device& host, const Alignment& alignment, const std::vector<Shadow>& shadows,
                       long bytes, char* given) {
  if (given) return {host, given};
  const bool shadowed =
      std::any_of(shadows.begin(), shadows.end(), [](const Shadow& shadow) { return !shadow.none(); });
  if (shadowed && all_of(host.world(), alignment.nodes())) return {host, Ranks(host.world()), bytes};
  return {host, bytes};
}

} // namespace

Ranks ranks_of(World& world, const Nodes& nodes) {
  if (all_of(world, nodes)) return world;
  return subset(world, nodes.members());
}

ArrayMemory::ArrayMemory(Device& device, long bytes)
    : device_(&device), own_(device, static_cast<std::size_t>(bytes)), data_(own_.data()) {}

ArrayMemory::ArrayMemory(Device& device, const Ranks& ranks, long bytes)
    : device_(&device),
      shared_(std::make_unique<SharedBuffer>(device, ranks, static_cast<std::size_t>(bytes))),
      data_(shared_->data()) {}

char* ArrayMemory::of(int rank) const {
  const World& world = device_->world();
  if (rank == world.rank()) return data_;
  if (!shared_ || !world.same_node(rank, world.rank()) || !device_->reaches(world.node_rank_of(rank)))
    return nullptr;
  return shared_->peer(world.node_rank_of(rank));
}

Array::Array(Device& host, std::string name, long size, Alignment alignment, std::vector<Shadow> shadows,
             char* memory)
    : name_(std::move(name)),
      number_(next_number()),
      size_(size),
      alignment_(std::move(alignment)),
      shadows_(std::move(shadows)),
      node_(alignment_.nodes().number_of(host.world().rank()).value_or(-1)),
      holding_(holding_at(alignment_, shadows_, size_, node_)),
      host_(memory_for(host, alignment_, shadows_, holding_.bytes(), memory)) {}

bool Array::everywhere() const { return all_of(world(), nodes()); }

bool Array::shadowed() const {
  return std::any_of(shadows_.begin(), shadows_.end(), [](const Shadow& shadow) { return !shadow.none(); });
}

} // namespace tasuki
