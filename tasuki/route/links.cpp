#include <tasuki/route/links.hpp>

namespace tasuki {

Links::Links(World& world) : world_(world) {
  const Device& device = world.part<Device>();
  std::vector<char> mine;
  for (int r = 0; r < world.node_size(); ++r) mine.push_back(device.reaches(r) ? 1 : 0);
  const int count = world.node_size();
  std::vector<int> counts(static_cast<std::size_t>(world.size())), starts;
  MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, world.comm());
  int total = 0;
  for (const int n : counts) {
    first_.push_back(static_cast<std::size_t>(total));
    starts.push_back(total);
    total += n;
  }
  reach_.resize(static_cast<std::size_t>(total));
  MPI_Allgatherv(mine.data(), count, MPI_CHAR, reach_.data(), counts.data(), starts.data(), MPI_CHAR,
                 world.comm());
}

PairKind Links::pair(int a, int b) const {
  return a == b                   ? PairKind::self
         : world_.same_node(a, b) ? PairKind::node
         : world_.same_host(a, b) ? PairKind::subcluster
                                  : PairKind::far;
}

bool Links::peer(int a, int b) const {
  return world_.same_node(a, b) && reach_[first_[a] + static_cast<std::size_t>(world_.node_rank_of(b))];
}

bool Links::alike() const {
  for (int a = 0; a < world_.size(); ++a)
    for (int b = 0; b < a; ++b)
      if (pair(a, b) != pair(1, 0) || peer(a, b) != peer(1, 0)) return false;
  return true;
}

} // namespace tasuki
