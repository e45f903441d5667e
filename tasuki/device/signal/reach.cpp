#include <tasuki/device/signal/reach.hpp>

#include <tasuki/base/gather.hpp>

namespace tasuki {

Reach::Reach(const Device& device) {
  World& world = device.world();
  bool reach = world.nodes() == 1 && world.settings().channel.find("mpi") == std::string::npos;
  for (int r = 0; reach && r < world.node_size(); ++r) reach = device.reaches(r);
  all_ = !any_rank(world, !reach);
}

} // namespace tasuki
