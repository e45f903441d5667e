#include <tasuki/model/tiling.hpp>

#include <algorithm>
#include <cmath>

namespace tasuki {
namespace {

// Properties of a multiprocessor of an H200, measured with the programs of this project.
constexpr double kCycle = 1 / 1.75e9; // seconds
constexpr double kStep = 250;         // cycles per step, independent of cells
constexpr double kWord = 0.8 / 32;    // cycles per number that is read or written
constexpr double kLocalMail = 1600;   // cycles of mail between tiles of a device
constexpr double kRemoteMail = 3200;  // cycles of mail between devices
constexpr double kTaken = 120,
                 kWideTaken = 1850; // cycles in which every thread sends or takes a number of 4 or of 8 bytes
constexpr double kPass = 3300;      // cycles per tile of a pass, for its indices and threads
constexpr double kRow = 26;         // cycles per row of a tile that is loaded or stored
constexpr double kMemory = 17;      // bytes per cycle, from device memory
constexpr double kCached = 30;      // bytes per cycle, from the L2 cache

long ceil_div(long a, long b) { return (a + b - 1) / b; }

struct Candidate {
  const TilingRequest& request;
  std::array<int, kMaxDims> tiles{};

  // Cells of a tile grown by the reach of `steps` steps.
  long cells(int steps) const {
    long n = 1;
    for (int a = 0; a < request.dims; ++a)
      n *= tile_cells(request, a, tiles[a]) + 2l * steps * request.reach[a];
    return n;
  }
  double sweep(int steps) const { // cycles
    return kStep + static_cast<double>(cells(steps)) * (request.limits.words + 4) * kWord;
  }
};

} // namespace

int tile_cells(const TilingRequest& request, int axis, int tiles) {
  return static_cast<int>(ceil_div(request.extents[axis], tiles));
}

TileLayout tile_layout(const TilingRequest& request, const std::array<int, kMaxDims>& tiles, int depth,
                       int halo) {
  TileLayout layout;
  const int banks = 128 / request.number_bytes; // numbers that shared memory delivers per cycle
  const int row = tile_cells(request, 0, tiles[0]) + 2 * (depth - 1) * request.reach[0];
  int n = 1;
  for (int a = 0; a < request.dims; ++a) {
    // The threads of a warp continue a row along x in the next row along z, or four rows above in 2-D: with this
    // padding, the continuation is in the remaining banks.
    if (a == 2 && row < banks) n += ((row - n) % banks + banks) % banks;
    if (a == 1 && request.dims == 2)
      while (((4 * n - row) % banks + banks) % banks > 3) ++n;
    layout.stride[a] = n;
    n *= tile_cells(request, a, tiles[a]) + 2 * halo * request.reach[a];
  }
  layout.plane = n;
  return layout;
}

int padded_bytes(long bytes) { return static_cast<int>((bytes + 15) / 16 * 16); }

std::optional<TilingChoice> best_tiling(const TilingRequest& request) {
  std::optional<TilingChoice> best;
  const int most = request.limits.multiprocessors;
  const auto room = [&](const Candidate& candidate, int depth, long slots, int pinned) { // bytes
    const long fixed = tile_layout(request, candidate.tiles, depth, depth - 1).plane;
    return slots + fixed * request.fixed_bytes[pinned] + 16 * kTiledAccesses;
  };
  const auto consider = [&](const Candidate& candidate) {
    for (int depth = request.depth ? request.depth : 1;
         depth <= (request.depth ? request.depth : request.most_depth); ++depth) {
      bool fits = true;
      for (int a = 0; a < request.dims; ++a) fits = fits && depth * request.reach[a] <= request.most_halo[a];
      const long slots =
          static_cast<long>(tile_layout(request, candidate.tiles, depth, depth).plane) * request.slot_bytes +
          16 * kTiledSlots;
      if (!fits) break;
      // A deeper halo may fit where this one does not: strides are padded by what banks of memory need.
      if (slots + 16 * kTiledAccesses > request.limits.shared_bytes) continue;
      TilingChoice choice{.tiles = candidate.tiles, .depth = depth};
      int pinned = kAllPinned;
      long bytes = room(candidate, depth, slots, pinned);
      while (bytes > request.limits.shared_bytes) bytes = room(candidate, depth, slots, --pinned);
      choice.pinned = static_cast<Pinned>(pinned);
      choice.shared_bytes = static_cast<int>(bytes);
      const double unpinned = request.fixed_bytes[kAllPinned] - request.fixed_bytes[choice.pinned];
      double cycles = 0;
      for (int step = 0; step < depth; ++step) {
        cycles += candidate.sweep(depth - 1); // steps with a smaller box compute cells in vain
        cycles += unpinned * static_cast<double>(candidate.cells(depth - 1)) / kCached;
      }
      const double shell = static_cast<double>(candidate.cells(depth) - candidate.cells(0));
      cycles += (request.remote ? kRemoteMail : kLocalMail) +
                shell / request.limits.threads * (request.number_bytes == 8 ? kWideTaken : kTaken);
      choice.seconds = cycles * kCycle / depth;
      if (!best || choice.seconds < best->seconds) best = choice;
    }
  };
  Candidate candidate{request};
  const auto cut = [&](auto& self, int axis, int left) -> void {
    if (axis < 0) {
      consider(candidate);
      return;
    }
    // Whole warps along x: so few tiles that each has at least 16 cells.
    const long room =
        axis == 0 && request.dims > 1 ? std::max(1L, request.extents[0] / 16) : request.extents[axis];
    for (int tiles = 1; tiles <= std::min<long>(left, room); ++tiles) {
      candidate.tiles[axis] = tiles;
      self(self, axis - 1, left / tiles);
    }
  };
  cut(cut, request.dims - 1, most);
  return best;
}

std::optional<TilingChoice> best_pass(const TilingRequest& request) {
  constexpr long kWidest = 512; // cells of a tile along an axis
  std::optional<TilingChoice> best;
  Candidate candidate{request};
  const auto slots = [&](int depth) {
    return static_cast<long>(tile_layout(request, candidate.tiles, depth, depth).plane) * request.slot_bytes +
           16 * kTiledSlots;
  };
  const auto consider = [&](int depth) {
    const auto own = static_cast<double>(candidate.cells(0)),
               all = static_cast<double>(candidate.cells(depth));
    const double read = request.slot_bytes / 2.0; // half of the memories are read, the others are written
    const double memory = 2 * own * read / kMemory + (all - own) * read / kCached;
    double rows = 1, left = 1; // loaded, and stored
    for (int a = 1; a < request.dims; ++a) {
      left *= tile_cells(request, a, candidate.tiles[a]);
      rows *= tile_cells(request, a, candidate.tiles[a]) + 2 * depth * request.reach[a];
    }
    const double steps =
        kPass + (rows + left) * kRow +
        depth * (candidate.sweep(depth - 1) +
                 static_cast<double>(candidate.cells(depth - 1)) * request.fixed_bytes[kAllPinned] / kCached);
    // Two tiles share a multiprocessor: one computes while the other waits for memory.
    const double cycles = std::max(memory, steps) + 0.3 * std::min(memory, steps);
    double tiles = 1;
    for (int a = 0; a < request.dims; ++a) tiles *= candidate.tiles[a];
    const double seconds = cycles * kCycle * tiles / request.limits.multiprocessors / depth;
    if (best && seconds >= best->seconds) return;
    best = TilingChoice{.tiles = candidate.tiles, .depth = depth, .seconds = seconds};
    best->shared_bytes = static_cast<int>(slots(depth));
  };
  // With the other axes fixed, as long along this axis as shared memory permits.
  const auto stretch = [&](int depth, int axis) {
    long fits = 0, too_much = std::min(kWidest, request.extents[axis]) + 1;
    while (too_much - fits > 1) {
      const long own = (fits + too_much) / 2;
      candidate.tiles[axis] = static_cast<int>(ceil_div(request.extents[axis], own));
      (slots(depth) <= request.limits.shared_bytes ? fits : too_much) = own;
    }
    if (fits == 0) return;
    candidate.tiles[axis] = static_cast<int>(ceil_div(request.extents[axis], fits));
    consider(depth);
  };
  const auto cut = [&](auto& self, int depth, int axis) -> void {
    if (axis == (request.dims > 1 ? 1 : 0)) return stretch(depth, axis);
    const long step = axis == 0 ? 8 : 1, most = std::min(axis == 0 ? kWidest : 64, request.extents[axis]);
    for (long own = std::min(step, most); own <= most; own += step) {
      candidate.tiles[axis] = static_cast<int>(ceil_div(request.extents[axis], own));
      self(self, depth, axis == 0 ? 1 : axis - 1 == 1 ? 0 : axis - 1);
    }
  };
  const int least = request.depth ? request.depth : 2,
            most = request.depth ? request.depth : request.most_depth;
  for (int depth = least; depth <= most; ++depth) {
    bool fits = !request.odd_depth || depth % 2 != 0;
    for (int a = 0; a < request.dims; ++a) fits = fits && depth * request.reach[a] <= request.most_halo[a];
    if (fits) cut(cut, depth, request.dims > 2 ? request.dims - 1 : 0);
  }
  return best;
}

} // namespace tasuki
