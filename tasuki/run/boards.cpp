#include <tasuki/run/boards.hpp>

#include <tasuki/device/list.hpp>

#include <vector>

namespace tasuki {

Boards::Boards(Device& device, std::size_t bytes) : device_(device), board_(device, bytes) {
  const World& world = device.world();
  std::vector<char*> boards;
  std::vector<int> world_ranks(static_cast<std::size_t>(world.node_size()));
  for (int r = 0; r < world.node_size(); ++r)
    boards.push_back(r == world.node_rank() ? board_.data() : board_.peer(r));
  for (int r = 0; r < world.size(); ++r)
    if (world.same_node(r, world.rank())) world_ranks[static_cast<std::size_t>(world.node_rank_of(r))] = r;
  list_ = on_device(device, boards);
  world_ranks_ = on_device(device, world_ranks);
}

void Boards::tell(TiledLaunch& l) const {
  World& world = device_.world();
  l.boards = reinterpret_cast<char* const*>(list_.data());
  l.world_rank = reinterpret_cast<const int*>(world_ranks_.data());
  l.rank = world.node_rank();
  l.ranks = world.node_size();
  l.watch = world.part<Watch>().handle();
}

} // namespace tasuki
