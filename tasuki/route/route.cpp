#include <tasuki/route/route.hpp>

#include <algorithm>
#include <sstream>

namespace tasuki {
namespace {

constexpr const char* kHow = "write --channel mpi, or by face: x=peer,y-=mpi (channels: self, peer, mpi)";

int kind_of(const std::string& name) {
  const auto at = std::find(kChannelNames.begin(), kChannelNames.end(), name);
  if (at == kChannelNames.end()) throw Error("there is no channel '" + name + "'", kHow);
  return static_cast<int>(at - kChannelNames.begin());
}

} // namespace

Router::Router(Device& device, int dims) : device_(device), dims_(dims) {
  for (auto& axis : forced_) axis = {-1, -1};
  std::stringstream list(device.world().settings().channel);
  for (std::string entry; std::getline(list, entry, ',');) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos) {
      for (auto& axis : forced_) axis.fill(kind_of(entry));
      continue;
    }
    const std::string face = entry.substr(0, equals), axes = "xyzt";
    const std::size_t axis = face.empty() ? std::string::npos : axes.find(face[0]);
    const std::string side = face.empty() ? "" : face.substr(1);
    if (axis == std::string::npos || static_cast<int>(axis) >= dims ||
        (side != "" && side != "-" && side != "+"))
      throw Error(
          "--channel names no face of a " + std::to_string(dims) + "-dimensional grid: '" + face + "'", kHow);
    const int kind = kind_of(entry.substr(equals + 1));
    if (side != "+") forced_[axis][0] = kind;
    if (side != "-") forced_[axis][1] = kind;
  }
}

ChannelKind Router::between(int from, int to, const std::array<int, kMaxDims>& direction) const {
  World& world = device_.world();
  const int other = from == world.rank() ? to : from;
  const bool near = world.same_node(from, to) && device_.reaches(world.node_rank_of(other));
  int forced = -1;
  for (int a = 0; a < dims_; ++a)
    if (direction[a] != 0) forced = std::max(forced, forced_[a][direction[a] > 0]);
  const auto names = [&] { return "ranks " + std::to_string(from) + " and " + std::to_string(to); };
  if (forced == static_cast<int>(ChannelKind::self) && from != to)
    throw Error("channel self cannot join " + names(), "force it only along axes that are not cut");
  if (forced == static_cast<int>(ChannelKind::peer) && !near)
    throw Error("channel peer cannot join " + names() +
                    (world.same_node(from, to) ? ": their GPUs cannot store into each other's memory"
                                               : ": they are on different nodes"),
                "use mpi for these faces, or leave the choice to Tasuki");
  if (forced >= 0) return static_cast<ChannelKind>(forced);
  return from == to ? ChannelKind::self : near ? ChannelKind::peer : ChannelKind::mpi;
}

} // namespace tasuki
