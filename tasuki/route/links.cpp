#include <tasuki/route/links.hpp>

#include <algorithm>

namespace tasuki {
namespace {

Places places_of(const World& world) {
  Places places;
  for (int r = 0; r < world.size(); ++r) {
    places.host.push_back(world.host_of(r));
    places.node.push_back(world.node_of(r));
    places.node_rank.push_back(world.node_rank_of(r));
  }
  return places;
}

int count_of(const std::vector<int>& numbers) {
  return 1 + *std::max_element(numbers.begin(), numbers.end());
}

std::vector<int> ranks_of_nodes(const std::vector<int>& node) {
  std::vector<int> ranks(static_cast<std::size_t>(count_of(node)), 0);
  for (const int n : node) ++ranks[static_cast<std::size_t>(n)];
  return ranks;
}

} // namespace

Links::Links(const Device& device) : places_(places_of(device.world())) {
  const World& world = device.world();
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

Links::Links(Places places, const std::function<bool(int a, int b)>& reaches) : places_(std::move(places)) {
  std::vector<std::vector<int>> ranks(static_cast<std::size_t>(count_of(places_.node)));
  for (int r = 0; r < size(); ++r) {
    auto& list = ranks[static_cast<std::size_t>(node(r))];
    const auto place = static_cast<std::size_t>(places_.node_rank[static_cast<std::size_t>(r)]);
    if (list.size() <= place) list.resize(place + 1);
    list[place] = r;
  }
  for (int a = 0; a < size(); ++a) {
    first_.push_back(reach_.size());
    for (const int b : ranks[static_cast<std::size_t>(node(a))]) reach_.push_back(reaches(a, b) ? 1 : 0);
  }
}

PairKind Links::pair(int a, int b) const {
  return a == b               ? PairKind::self
         : node(a) == node(b) ? PairKind::node
         : places_.host[static_cast<std::size_t>(a)] == places_.host[static_cast<std::size_t>(b)]
             ? PairKind::subcluster
             : PairKind::far;
}

bool Links::peer(int a, int b) const {
  return node(a) == node(b) &&
         reach_[first_[static_cast<std::size_t>(a)] +
                static_cast<std::size_t>(places_.node_rank[static_cast<std::size_t>(b)])];
}

// True if all ranks are on one node, or each is on its own node and all nodes are on one host or on different hosts.
// If only some ranks share a node, there are two kinds of links.
bool Links::alike() const {
  if (size() < 2) return true;
  const int nodes = count_of(places_.node), hosts = count_of(places_.host);
  if (nodes == size()) return hosts == 1 || hosts == size();
  if (nodes != 1) return false;
  const bool joined = peer(1, 0);
  for (int a = 0; a < size(); ++a)
    for (int b = 0; b < a; ++b)
      if (peer(a, b) != joined) return false;
  return true;
}

int Links::ranks_a_node() const {
  const std::vector<int> ranks = ranks_of_nodes(places_.node);
  const bool even = std::all_of(ranks.begin(), ranks.end(), [&](int n) { return n == ranks.front(); });
  return even ? ranks.front() : 0;
}

} // namespace tasuki
