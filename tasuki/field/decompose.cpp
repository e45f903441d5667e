#include <tasuki/field/decompose.hpp>

#include <tasuki/base/error.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

namespace tasuki {
namespace {

constexpr double kMostCells = 1e18; // of a grid: they are counted by longs, with halos and padding

std::string axis_name(int axis) {
  static const char* names[] = {"x", "y", "z", "t"};
  return axis < 4 ? names[axis] : "axis " + std::to_string(axis);
}

std::string times(const std::array<int, kMaxDims>& list, int dims) {
  std::string s;
  for (int a = 0; a < dims; ++a) s += (a ? "x" : "") + std::to_string(list[a]);
  return s;
}

// The first extent % ranks blocks get one cell more.
std::vector<long> even_offsets(long extent, int ranks) {
  std::vector<long> offsets{0};
  for (int c = 0; c < ranks; ++c)
    offsets.push_back(offsets.back() + extent / ranks + (c < extent % ranks ? 1 : 0));
  return offsets;
}

Decomposition cut_by(const DecompositionRequest& r, const std::array<int, kMaxDims>& ranks) {
  Decomposition cut;
  cut.dims = r.dims;
  cut.extents = r.extents;
  cut.periodic = r.periodic;
  cut.wraps = r.wraps;
  cut.ranks = ranks;
  for (int a = 0; a < r.dims; ++a) {
    if (a < static_cast<int>(r.blocks.size()) && !r.blocks[a].empty()) {
      std::vector<long> offsets{0};
      for (const long n : r.blocks[a]) offsets.push_back(offsets.back() + n);
      cut.offsets.push_back(std::move(offsets));
    } else {
      cut.offsets.push_back(even_offsets(r.extents[a], ranks[a]));
    }
  }
  return cut;
}

long largest_block(const Decomposition& cut, int axis) {
  long most = 0;
  for (int c = 0; c < cut.ranks[axis]; ++c)
    most = std::max(most, cut.offsets[axis][c + 1] - cut.offsets[axis][c]);
  return most;
}

// The error of a cut that cannot be used, or nothing if the cut is valid.
std::optional<Error> fault_of(const Decomposition& cut, const Widths& halo) {
  for (int a = 0; a < cut.dims; ++a) {
    const std::string axis = axis_name(a);
    const long least = cut.smallest_block(a);
    if (least < 1)
      return Error("a rank would have no cells: " + std::to_string(cut.extents[a]) + " cells along " + axis +
                       " for " + std::to_string(cut.ranks[a]) + " ranks",
                   "use a larger extent or fewer ranks along " + axis);
    const long most = largest_block(cut, a);
    if (most > std::numeric_limits<int>::max() - halo[a].lo - halo[a].hi)
      return Error(
          "a rank would have " + std::to_string(most) + " cells along " + axis + ", more than an int numbers",
          "use more ranks along " + axis + ", or more axes");
    const int widest = std::max(halo[a].lo, halo[a].hi);
    if (cut.exchanges(a) && widest > least)
      return Error("a halo of " + std::to_string(widest) + " is wider than the smallest block along " + axis +
                       " (" + std::to_string(least) + " cells)",
                   "use a halo of at most " + std::to_string(least) +
                       ", a larger extent or fewer ranks along " + axis);
  }
  return std::nullopt;
}

void check_request(const DecompositionRequest& r) {
  if (static_cast<int>(r.blocks.size()) > r.dims)
    throw Error("block sizes are given for " + std::to_string(r.blocks.size()) + " axes, the grid has " +
                    std::to_string(r.dims),
                "give at most one list an axis");
  double cells = 1;
  for (int a = 0; a < r.dims; ++a) cells *= static_cast<double>(r.extents[a]);
  if (cells > kMostCells)
    throw Error("the grid has more cells than can be counted", "use fewer along " + axis_name(r.dims - 1));
  for (int a = 0; a < r.dims; ++a) {
    if (r.extents[a] < 1)
      throw Error("the grid has " + std::to_string(r.extents[a]) + " cells along " + axis_name(a),
                  "use at least 1");
    if (r.halo[a].lo < 0 || r.halo[a].hi < 0)
      throw Error("the halo along " + axis_name(a) + " is negative", "use 0 or more");
    if (r.ranks[a] < 0)
      throw Error("the process grid has " + std::to_string(r.ranks[a]) + " ranks along " + axis_name(a),
                  "use 1 or more, or 0 to leave the axis free");
    if (a >= static_cast<int>(r.blocks.size()) || r.blocks[a].empty()) continue;
    const int pieces = static_cast<int>(r.blocks[a].size());
    if (r.ranks[a] != 0 && r.ranks[a] != pieces)
      throw Error(std::to_string(pieces) + " blocks along " + axis_name(a) +
                      " are given, and a process grid with " + std::to_string(r.ranks[a]) + " there",
                  "let them agree, or leave the axis of the process grid 0");
    const long sum = std::accumulate(r.blocks[a].begin(), r.blocks[a].end(), 0L);
    if (sum != r.extents[a])
      throw Error("the blocks along " + axis_name(a) + " add up to " + std::to_string(sum) +
                      " cells, the grid has " + std::to_string(r.extents[a]),
                  "let the block sizes add up to the extent");
  }
}

} // namespace

// A node's shared memory, and NVLink with a kernel that is launched for the copy.
ExchangeCost exchange_cost_host() {
  return {.latency = 1e-6, .bandwidth = 5e9, .stride_factor = 4, .cell_bytes = 8};
}
ExchangeCost exchange_cost_cuda() {
  return {.latency = 5e-6, .bandwidth = 200e9, .stride_factor = 4, .cell_bytes = 8};
}

int Decomposition::size() const {
  int n = 1;
  for (int a = 0; a < dims; ++a) n *= ranks[a];
  return n;
}

void Decomposition::map(std::vector<int> list) {
  rank_of_block = std::move(list);
  block_of_rank.assign(rank_of_block.size(), 0);
  for (std::size_t b = 0; b < rank_of_block.size(); ++b)
    block_of_rank[static_cast<std::size_t>(rank_of_block[b])] = static_cast<int>(b);
}

std::array<int, kMaxDims> Decomposition::coords(int rank) const {
  std::array<int, kMaxDims> c{};
  int block = block_of_rank.empty() ? rank : block_of_rank[static_cast<std::size_t>(rank)];
  for (int a = 0; a < dims; ++a) {
    c[a] = block % ranks[a];
    block /= ranks[a];
  }
  return c;
}

int Decomposition::rank_at(const std::array<int, kMaxDims>& c) const {
  int block = 0;
  for (int a = dims - 1; a >= 0; --a) block = block * ranks[a] + c[a];
  return rank_of_block.empty() ? block : rank_of_block[static_cast<std::size_t>(block)];
}

Box Decomposition::block(int rank) const {
  const auto c = coords(rank);
  Box b;
  b.dims = dims;
  for (int a = 0; a < dims; ++a) {
    b.lo[a] = offsets[a][c[a]];
    b.hi[a] = offsets[a][c[a] + 1];
  }
  return b;
}

long Decomposition::smallest_block(int axis) const {
  long least = extents[axis];
  for (int c = 0; c < ranks[axis]; ++c) least = std::min(least, offsets[axis][c + 1] - offsets[axis][c]);
  return least;
}

int Decomposition::neighbour(int rank, const std::array<int, kMaxDims>& direction) const {
  auto c = coords(rank);
  for (int a = 0; a < dims; ++a) {
    c[a] += direction[a];
    if (c[a] >= 0 && c[a] < ranks[a]) continue;
    if (!periodic[a]) return -1;
    c[a] = (c[a] + ranks[a]) % ranks[a];
  }
  return rank_at(c);
}

Widths halo_of(const Decomposition& cut, Widths asked) {
  for (int a = 0; a < cut.dims; ++a)
    if (cut.wraps_at(a)) asked[a] = Width(0);
  return asked;
}

std::vector<Box> local_parts(const Decomposition& cut, int rank, const Box& region, const Widths& by) {
  const Box block = cut.block(rank);
  Widths reach = by;
  // An axis without an exchange has no halo, so no cells can be computed there.
  for (int a = 0; a < cut.dims; ++a)
    if (!cut.exchanges(a)) reach[a] = Width(0);

  std::vector<Box> parts{grow(block, reach)};
  for (int a = 0; a < cut.dims; ++a) {
    std::vector<Box> pieces;
    const long n = cut.extents[a];
    const bool periodic = cut.periodic[a], whole = region.lo[a] == 0 && region.hi[a] == n;
    for (const Box& part : parts) {
      if (periodic && whole) { // the images of the region join without a gap
        pieces.push_back(part);
        continue;
      }
      for (long image = periodic ? -1 : 0; image <= (periodic ? 1 : 0); ++image) {
        Box piece = part;
        piece.lo[a] = std::max(part.lo[a], region.lo[a] + image * n);
        piece.hi[a] = std::min(part.hi[a], region.hi[a] + image * n);
        if (piece.hi[a] > piece.lo[a]) pieces.push_back(piece);
      }
    }
    parts = std::move(pieces);
  }
  Index back{};
  for (int a = 0; a < cut.dims; ++a) back[a] = -block.lo[a];
  for (Box& part : parts) part = shift(part, back);
  return parts;
}

void each_brick(const Decomposition& cut, int blocks,
                const std::function<void(const std::array<int, kMaxDims>&)>& consider) {
  std::array<int, kMaxDims> brick{};
  const std::function<void(int, int)> choose = [&](int axis, int left) {
    if (axis == cut.dims) {
      if (left == 1) consider(brick);
      return;
    }
    for (int n = 1; n <= left; ++n) {
      if (left % n != 0 || cut.ranks[axis] % n != 0) continue;
      brick[axis] = n;
      choose(axis + 1, left / n);
    }
  };
  choose(0, blocks);
}

namespace {

// The predicted seconds of the faces along an axis, by side: to the rank itself, within a node, to another node.
struct AxisCost {
  double own[2] = {}, near[2] = {}, far[2] = {};
};

AxisCost cost_along(const Decomposition& cut, int axis, const Width& halo, const ExchangeCost& cost) {
  double cells = 1; // the largest block has the largest faces; interior cells cost nothing
  for (int b = 0; b < cut.dims; ++b)
    if (b != axis) cells *= static_cast<double>(largest_block(cut, b));
  AxisCost sum;
  const int width[2] = {halo.lo, halo.hi};
  for (int side = 0; side < 2; ++side) {
    if (width[side] == 0) continue;
    const double bytes = width[side] * cells * cost.cell_bytes;
    const double gathered = bytes * (axis == 0 ? cost.stride_factor : 1) / cost.bandwidth;
    sum.own[side] = 0.1 * gathered; // a copy within a rank's memory
    sum.near[side] = cost.latency + gathered;
    sum.far[side] = sum.near[side] + (cost.ranks_a_node > 0 ? bytes / cost.far_bandwidth : 0);
  }
  return sum;
}

} // namespace

double predicted_exchange(const Decomposition& cut, const Widths& halo, const ExchangeCost& cost) {
  std::array<AxisCost, kMaxDims> axes{};
  for (int a = 0; a < cut.dims; ++a)
    if (cut.exchanges(a)) axes[a] = cost_along(cut, a, halo[a], cost);

  // The slowest rank is at a corner of the brick, since it has the most neighbours on other nodes.
  const auto seconds = [&](const std::array<int, kMaxDims>& brick) {
    double sum =
        brick == cut.ranks ? 0 : cost.far_latency; // messages to several other nodes travel at the same time
    for (int a = 0; a < cut.dims; ++a) {
      const AxisCost& c = axes[a];
      if (cut.ranks[a] == 1)
        sum += c.own[0] + c.own[1];
      else if (brick[a] == cut.ranks[a])
        sum += c.near[0] + c.near[1];
      else if (brick[a] == 1)
        sum += c.far[0] + c.far[1];
      else
        sum += std::max(c.far[0] + c.near[1], c.near[0] + c.far[1]);
    }
    return sum;
  };
  if (cost.ranks_a_node == 0 || cost.ranks_a_node >= cut.size()) return seconds(cut.ranks);
  double least = -1;
  each_brick(cut, cost.ranks_a_node, [&](const auto& brick) {
    const double s = seconds(brick);
    if (least < 0 || s < least) least = s;
  });
  std::array<int, kMaxDims> alone{};
  std::fill_n(alone.begin(), cut.dims, 1);
  return least < 0 ? seconds(alone) : least; // no brick fits: every neighbour counts as on another node
}

Decomposition decompose(const DecompositionRequest& request, const ExchangeCost& cost) {
  check_request(request);
  std::array<int, kMaxDims> fixed = request.ranks;
  for (std::size_t a = 0; a < request.blocks.size(); ++a)
    if (!request.blocks[a].empty()) fixed[a] = static_cast<int>(request.blocks[a].size());

  std::optional<Decomposition> best;
  std::optional<Error> fault;
  double least = 0;
  std::array<int, kMaxDims> ranks{};
  const auto consider = [&] {
    const Decomposition cut = cut_by(request, ranks);
    if (auto why = fault_of(cut, request.halo)) {
      if (!fault) fault = std::move(why);
      return;
    }
    // Of equal cuts the first found is kept: the slowest axis is cut most, so its faces are contiguous. If the blocks
    // differ in size, all ranks wait for the largest block.
    double uneven = 1;
    for (int a = 0; a < cut.dims; ++a)
      uneven *=
          static_cast<double>(largest_block(cut, a)) * cut.ranks[a] / static_cast<double>(cut.extents[a]);
    const double seconds = predicted_exchange(cut, request.halo, cost) * uneven;
    if (!best || seconds < least * (1 - 1e-9)) {
      best = cut;
      least = seconds;
    }
  };
  // Every way to write the number of ranks as a product, slowest axis first.
  const std::function<void(int, int)> factor = [&](int axis, int left) {
    if (axis < 0) {
      if (left == 1) consider();
      return;
    }
    for (int n = left; n >= 1; --n) {
      if (left % n != 0 || (fixed[axis] > 0 && n != fixed[axis])) continue;
      ranks[axis] = n;
      factor(axis - 1, left / n);
    }
  };
  factor(request.dims - 1, request.size);
  if (best) return *best;
  if (fault) throw *fault;
  throw Error("a process grid of " + times(fixed, request.dims) + " (0: free) does not make " +
                  std::to_string(request.size) + " ranks",
              "let the product be the number of ranks, or leave axes free");
}

} // namespace tasuki
