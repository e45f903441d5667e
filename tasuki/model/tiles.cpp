#include <tasuki/model/tiles.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace tasuki {
namespace {

constexpr int kMostDepth = 16;
constexpr double kOverheadWords = 4; // per cell: its index, and the test whether it is computed
constexpr double kShellWords = 2;    // per cell received by mail
// Of the bandwidth, what the threads of a tile get, since they wait for most of their loads: of the cache, of memory.
constexpr double kOfCache = 0.6, kOfMemory = 0.25;

// One way to cut a block into tiles.
struct Cut {
  const Workload& load;
  std::array<long, kMaxDims> tile{}; // cells of the largest tile

  double cells(int steps) const { // of the tile grown by the reach of `steps` steps
    double n = 1;
    for (int a = 0; a < load.cut.dims; ++a) n *= static_cast<double>(tile[a] + 2L * steps * load.reach[a]);
    return n;
  }
};

} // namespace

TiledStep tiled_step(const Workload& load, const Constants& c, bool remote) {
  TiledStep best;
  double least = std::numeric_limits<double>::infinity();
  const int dims = load.cut.dims, tiles = static_cast<int>(c.multiprocessors);
  const double shared = c.chip_bytes / c.multiprocessors;
  const double fixed_bandwidth = // for data that shared memory does not hold: cache or memory
      (load.memory <= c.cache_bytes ? kOfCache * c.cache : kOfMemory * c.memory) / c.multiprocessors;

  const auto consider = [&](const Cut& cut) {
    for (int depth = 1; depth <= kMostDepth; ++depth) {
      for (int a = 0; a < dims; ++a)
        if (load.cut.exchanges(a) && static_cast<long>(depth) * load.reach[a] > load.cut.smallest_block(a))
          return;
      const double slots = cut.cells(depth) * load.slot_bytes;
      if (slots > shared) return;
      const double kept = load.fixed_bytes > 0
                              ? std::min(1.0, (shared - slots) / (cut.cells(depth - 1) * load.fixed_bytes))
                              : 1;
      double compute = 0;
      for (int step = 0; step < depth; ++step) {
        const double cells = cut.cells(depth - 1 - step);
        compute += c.tile_step + cells * (load.words + kOverheadWords) * c.word +
                   cells * load.fixed_bytes * (1 - kept) / fixed_bandwidth;
      }
      const double shell = (cut.cells(depth) - cut.cells(0)) * kShellWords * c.word;
      const double latency = c.barrier + (remote ? c.flag : 0) + shell;
      if ((compute + latency) / depth < least) {
        least = (compute + latency) / depth;
        best = {.compute = compute / depth, .latency = latency / depth, .depth = depth};
      }
    }
  };
  Cut cut{load};
  const std::function<void(int, int)> divide = [&](int axis, int left) {
    if (axis < 0) return consider(cut);
    const long extent = load.block.extent(axis);
    for (int n = 1; n <= std::min<long>(left, extent); ++n) {
      cut.tile[axis] = (extent + n - 1) / n;
      divide(axis - 1, left / n);
    }
  };
  divide(dims - 1, tiles);
  if (best.compute == 0) best.not_here = "the block does not fit into shared memory";
  return best;
}

TiledStep pass_step(const Workload& load, const Constants& c) {
  constexpr double kHidden = 0.7;       // of the smaller one of the times of memory and arithmetic
  constexpr double kTileWords = 81000;  // measured on an H200: overhead of a tile,
  constexpr double kRowWords = 640;     // and of a row of it that is loaded or stored
  constexpr double kColumn = 0.8 / 1.3; // fraction of a word: cells of a column share what they read
  constexpr double kTwo = 1.12;         // time of two tiles on a multiprocessor, in units of one
  constexpr double kFetched = 0.57;     // of the bandwidth of memory, for data that stays there during a pass
  constexpr double kLookWords = 8;      // per cell: its part of a reduction, and the combination of tiles
  TiledStep best;
  double least = std::numeric_limits<double>::infinity();
  const int dims = load.cut.dims;
  const double room = c.chip_bytes / c.multiprocessors / 2;
  const double block = static_cast<double>(load.block.cells());
  const double fixed_bandwidth = load.memory <= c.cache_bytes ? c.cache : kFetched * c.memory;
  for (int depth = 2; depth <= 8; ++depth) {
    double all = 1, own = 1, done = 1, fetched = 1, left = 1; // cells, and rows
    bool fits = true;
    for (int a = 0; a < dims; ++a) {
      const int reach = load.reach[a], halo = std::min(load.halo[a].lo, load.halo[a].hi);
      const double edge = std::min(std::pow(room / load.slot_bytes, 1.0 / dims), // cells
                                   static_cast<double>(load.block.extent(a) + 2L * depth * reach));
      fits = fits && edge > 2.0 * depth * reach && (load.cut.ranks[a] == 1 || depth * reach <= halo);
      all *= edge;
      own *= edge - 2.0 * depth * reach;
      done *= edge - 2.0 * reach;
      if (a > 0) fetched *= edge, left *= edge - 2.0 * depth * reach;
    }
    if (!fits) continue;
    const double rounds = std::ceil(block / own / c.multiprocessors / 2); // with two tiles per multiprocessor
    const double memory =
        (2 * own * load.slot_bytes / 2 / c.memory + (all - own) * load.slot_bytes / 2 / c.cache) *
        c.multiprocessors;
    const double steps = (kTileWords + (fetched + left) * kRowWords) * c.word +
                         depth * (c.tile_step + done * (load.words + kOverheadWords) * c.word * kColumn);
    const double fixed = 2 * depth * done * load.fixed_bytes * c.multiprocessors / fixed_bandwidth;
    const double round = kTwo * (std::max(memory, steps) + (1 - kHidden) * std::min(memory, steps)) + fixed;
    const double seconds = rounds * round / depth;
    if (seconds >= least) continue;
    least = seconds;
    best = {.compute = seconds, .look = rounds * own * kLookWords * c.word, .depth = depth};
  }
  if (best.compute == 0) best.not_here = "no halo is as deep as two steps reach";
  return best;
}

} // namespace tasuki
