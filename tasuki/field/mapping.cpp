#include <tasuki/base/error.hpp>

#include <tasuki/base/number.hpp>
#include <tasuki/field/mapping.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace tasuki {
namespace {

constexpr int kAllTried = 8;      // up to this many ranks, all mappings are compared
constexpr int kExchanged = 256;   // up to this many ranks, pairs of blocks are exchanged
constexpr int kCellBytes = 8;     // the mapping is chosen for a field of doubles
constexpr double kClearly = 1e-9; // relative; smaller differences count as equal

// The faces that each block sends to its neighbours, and the time of each face by each kind of link.
class Faces {
public:
  Faces(const Decomposition& cut, const Widths& halo, const LinkKinds& links) : links_(links) {
    Decomposition blocks = cut; // numbered x first, without a mapping
    blocks.map({});
    std::map<std::pair<long, long>, int> known; // index of the times, by bytes of a row and of the face
    first_.push_back(0);
    for (int b = 0; b < blocks.size(); ++b) {
      const Box box = blocks.block(b);
      for (int a = 0; a < cut.dims; ++a)
        for (const int side : {-1, 1}) {
          std::array<int, kMaxDims> d{};
          d[a] = side;
          const int to = cut.exchanges(a) ? blocks.neighbour(b, d) : -1;
          const int width = side < 0 ? halo[a].hi : halo[a].lo; // of the halo that receives the face
          if (to < 0 || to == b || width == 0) continue;
          const long row = kCellBytes * (a == 0 ? width : box.extent(0));
          const long bytes = kCellBytes * width * (box.cells() / box.extent(a));
          faces_.push_back({to, seconds_of(row, bytes, a == 0, known)});
        }
      first_.push_back(faces_.size());
    }
  }

  Mapping rated(std::vector<int> rank_of_block) const {
    Mapping m;
    m.rank_of_block = std::move(rank_of_block);
    for (std::size_t b = 0; b + 1 < first_.size(); ++b) {
      const int me = m.rank_of_block[b];
      double sum = 0;
      for (std::size_t f = first_[b]; f < first_[b + 1]; ++f) {
        const int other = m.rank_of_block[static_cast<std::size_t>(faces_[f].to)];
        sum += times_[static_cast<std::size_t>(faces_[f].time * links_.kinds + links_.kind(me, other))];
      }
      m.seconds = std::max(m.seconds, sum);
      m.total += sum;
    }
    return m;
  }

private:
  struct Face {
    int to;
    int time; // index into times_
  };

  int seconds_of(long row, long bytes, bool strided, std::map<std::pair<long, long>, int>& known) {
    const auto [at, fresh] = known.try_emplace({strided ? -row : row, bytes}, static_cast<int>(known.size()));
    if (fresh) {
      const FaceShape shape = row == bytes ? FaceShape::block
                              : strided    ? FaceShape::stride
                                           : FaceShape::block_stride;
      for (int kind = 0; kind < links_.kinds; ++kind)
        times_.push_back(links_.seconds(kind, {shape, shape == FaceShape::block ? 0 : row, bytes, 2}));
    }
    return at->second;
  }

  const LinkKinds& links_;
  std::vector<Face> faces_;
  std::vector<std::size_t> first_; // of each block
  std::vector<double> times_;      // of each different face, by kind of link
};

bool better(const Mapping& a, const Mapping& b) {
  if (a.seconds < b.seconds * (1 - kClearly)) return true;
  return a.seconds <= b.seconds * (1 + kClearly) && a.total < b.total * (1 - kClearly);
}

std::vector<int> in_order(int size) {
  std::vector<int> list(static_cast<std::size_t>(size));
  std::iota(list.begin(), list.end(), 0);
  return list;
}

// Block numbers along one axis after another; the first axis of `order` varies fastest.
std::vector<int> numbered_along(const Decomposition& cut, const std::vector<int>& order) {
  Decomposition blocks = cut;
  blocks.map({});
  std::vector<int> ranks;
  for (int b = 0; b < blocks.size(); ++b) {
    const auto c = blocks.coords(b);
    int rank = 0;
    for (auto a = order.rbegin(); a != order.rend(); ++a) rank = rank * cut.ranks[*a] + c[*a];
    ranks.push_back(rank);
  }
  return ranks;
}

// Bricks of one shape, one per node in the order of the nodes; along the first axis fastest, bricks and blocks.
std::vector<int> in_bricks(const Decomposition& cut, const std::array<int, kMaxDims>& brick,
                           const std::vector<int>& by_node) {
  Decomposition blocks = cut;
  blocks.map({});
  std::vector<int> ranks;
  for (int b = 0; b < blocks.size(); ++b) {
    const auto c = blocks.coords(b);
    int node = 0, within = 0, ranks_a_node = 1;
    for (int a = cut.dims - 1; a >= 0; --a) {
      node = node * (cut.ranks[a] / brick[a]) + c[a] / brick[a];
      within = within * brick[a] + c[a] % brick[a];
      ranks_a_node *= brick[a];
    }
    ranks.push_back(by_node[static_cast<std::size_t>(node) * static_cast<std::size_t>(ranks_a_node) +
                            static_cast<std::size_t>(within)]);
  }
  return ranks;
}

} // namespace

// Every kind of link: each kind of pair of ranks, with and without peer access.
LinkKinds link_kinds(const Links& links, const Tuning& constants) {
  LinkKinds result;
  result.size = links.size();
  result.kinds = 2 * static_cast<int>(kPairNames.size());
  result.kind = [&links](int a, int b) {
    return 2 * static_cast<int>(links.pair(a, b)) + (links.peer(a, b) ? 1 : 0);
  };
  result.seconds = [&constants](int kind, const Rows& face) {
    return least_seconds(constants, {face}, static_cast<PairKind>(kind / 2), kind % 2 == 1);
  };
  result.ranks_a_node = links.ranks_a_node();
  if (result.ranks_a_node > 0) {
    result.by_node = in_order(links.size());
    std::stable_sort(result.by_node.begin(), result.by_node.end(),
                     [&](int a, int b) { return links.node(a) < links.node(b); });
  }
  return result;
}

LinkKinds link_kinds(Device& device) { return link_kinds(device.part<Links>(), tuning(device)); }

Mapping naive_mapping(const Decomposition& cut, const Widths& halo, const LinkKinds& links) {
  return mapping_as(cut, halo, links, in_order(cut.size()));
}

Mapping mapping_as(const Decomposition& cut, const Widths& halo, const LinkKinds& links,
                   std::vector<int> ranks) {
  return Faces(cut, halo, links).rated(std::move(ranks));
}

Mapping best_mapping(const Decomposition& cut, const Widths& halo, const LinkKinds& links) {
  const int size = cut.size();
  const Faces faces(cut, halo, links);
  Mapping best = faces.rated(in_order(size));
  const auto consider = [&](std::vector<int> ranks) {
    Mapping m = faces.rated(std::move(ranks));
    if (!better(m, best)) return false;
    best = std::move(m);
    return true;
  };
  if (size <= kAllTried) {
    std::vector<int> ranks = in_order(size);
    while (std::next_permutation(ranks.begin(), ranks.end())) consider(ranks);
    return best;
  }
  std::vector<int> order = in_order(cut.dims);
  while (std::next_permutation(order.begin(), order.end())) consider(numbered_along(cut, order));
  if (links.ranks_a_node > 1)
    each_brick(cut, links.ranks_a_node,
               [&](const auto& brick) { consider(in_bricks(cut, brick, links.by_node)); });
  for (bool again = size <= kExchanged; again;) {
    again = false;
    for (std::size_t a = 0; a < static_cast<std::size_t>(size); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        std::vector<int> ranks = best.rank_of_block;
        std::swap(ranks[a], ranks[b]);
        again = consider(std::move(ranks)) || again;
      }
  }
  return best;
}

Mapping mapping_for(Device& device, const Decomposition& cut, const Widths& halo, const std::string& wish) {
  if (wish == "naive") return {in_order(cut.size()), 0, 0};
  if (wish.empty() || wish == "auto") {
    if (device.part<Links>().alike()) return {in_order(cut.size()), 0, 0};
    return best_mapping(cut, halo, link_kinds(device));
  }
  std::vector<int> ranks;
  try {
    ranks = parse_list<int>(wish, ',', "--mapping");
  } catch (const Error&) {} // refused below, like every list that is not a permutation of the ranks
  std::vector<int> sorted = ranks;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != in_order(cut.size()))
    throw Error("--mapping is '" + wish + "', not each of " + std::to_string(cut.size()) + " ranks once",
                "write it as 1,0,3,2, or take auto or naive");
  return {ranks, 0, 0};
}

} // namespace tasuki
