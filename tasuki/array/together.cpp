#include <tasuki/array/together.hpp>

#include <tasuki/base/subset.hpp>

#include <algorithm>

namespace tasuki {

std::optional<Ranks> together(World& world, const std::vector<const Nodes*>& nodes) {
  std::vector<int> members;
  for (const Nodes* some : nodes)
    members.insert(members.end(), some->members().begin(), some->members().end());
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  if (!std::binary_search(members.begin(), members.end(), world.rank())) return {};
  if (static_cast<int>(members.size()) == world.size()) return Ranks(world);
  return subset(world, members);
}

} // namespace tasuki
