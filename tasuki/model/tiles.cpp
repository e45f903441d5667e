#include <tasuki/device/tiled/columns.hpp>
#include <tasuki/model/tiles.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace tasuki {
namespace {

constexpr int kMostDepth = 16;
constexpr double kOverheadWords = 1.5; // per cell: its index, and the test whether it is computed
constexpr double kFixedWords = 2;      // per word of data that does not change: its address, too
constexpr double kShellWords = 5, kWideShellWords = 90; // per number of 4 or of 8 bytes received by mail
// What the threads of a tile get, since they wait for most of their loads: a share of the cache's bandwidth; of memory,
// however fast it is, so many bytes a second.
constexpr double kOfCache = 0.6, kFromMemory = 8.8e9;

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

int tiled_warps(const Workload& load) { return resident_threads(load.least_words) / 32; }

TiledStep tiled_step(const Workload& load, const Constants& c, bool remote) {
  TiledStep best;
  double least = std::numeric_limits<double>::infinity();
  const int dims = load.cut.dims, tiles = static_cast<int>(c.multiprocessors);
  const double shared = c.chip_bytes / c.multiprocessors;
  const double fixed_bandwidth = // for data that shared memory does not hold: cache or memory
      load.memory <= c.cache_bytes ? kOfCache * c.cache / c.multiprocessors : kFromMemory;
  const double words = load.column_words + kFixedWords * load.fixed_bytes / 4 + kOverheadWords;

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
        compute +=
            c.tile_step + cells * words * c.word + cells * load.fixed_bytes * (1 - kept) / fixed_bandwidth;
      }
      const double each = load.number_bytes == 8 ? kWideShellWords : kShellWords;
      const double shell = (cut.cells(depth) - cut.cells(0)) * each * c.word;
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

} // namespace tasuki
