#include <tasuki/run/tiling.hpp>

#include <algorithm>
#include <cmath>

namespace tasuki {
namespace {

// Of a multiprocessor of an H200, measured with the programs of this project.
constexpr double kCycle = 1 / 1.75e9;  // seconds
constexpr double kStep = 250;          // cycles of a step that do not depend on its cells
constexpr double kWord = 1.3 / 32;     // of a number that is read or written
constexpr double kAddress = 16.0 / 32; // of a cell whose address has to be worked out
constexpr double kLocalMail = 1600;    // of mail between tiles of a device
constexpr double kRemoteMail = 3200;   // between devices

long ceil_div(long a, long b) { return (a + b - 1) / b; }

struct Candidate {
  const TilingRequest& request;
  std::array<int, kMaxDims> tiles{};

  // Of a tile grown by so many steps.
  long cells(int steps) const {
    long n = 1;
    for (int a = 0; a < request.dims; ++a)
      n *= tile_cells(request, a, tiles[a]) + 2l * steps * request.reach[a];
    return n;
  }
  double sweep(int depth, int step) const { // cycles
    const TiledLimits& limits = request.limits;
    const bool shared_out = cells(depth - 1) <= static_cast<long>(limits.share) * limits.threads;
    const double n = static_cast<double>(cells(shared_out ? depth - 1 : depth - 1 - step));
    return kStep + n * ((limits.words + 4) * kWord + (shared_out ? 0 : kAddress));
  }
};

} // namespace

int tile_cells(const TilingRequest& request, int axis, int tiles) {
  return static_cast<int>(ceil_div(request.extents[axis], tiles));
}

int padded_bytes(long bytes) { return static_cast<int>((bytes + 15) / 16 * 16); }

std::optional<TilingChoice> best_tiling(const TilingRequest& request) {
  std::optional<TilingChoice> best;
  const int most = request.limits.multiprocessors;
  const auto room = [&](const Candidate& candidate, int depth, long slots, int pinned) { // bytes
    return slots + candidate.cells(depth - 1) * request.fixed_bytes[pinned] + 16 * kTiledAccesses;
  };
  const auto consider = [&](const Candidate& candidate) {
    for (int depth = request.depth ? request.depth : 1;
         depth <= (request.depth ? request.depth : request.most_depth); ++depth) {
      bool fits = true;
      for (int a = 0; a < request.dims; ++a) fits = fits && depth * request.reach[a] <= request.most_halo[a];
      const long slots = candidate.cells(depth) * request.slot_bytes + 16 * kTiledSlots;
      if (!fits || slots + 16 * kTiledAccesses > request.limits.shared_bytes) break;
      TilingChoice choice{.tiles = candidate.tiles, .depth = depth};
      int pinned = kAllPinned;
      long bytes = room(candidate, depth, slots, pinned);
      while (bytes > request.limits.shared_bytes) bytes = room(candidate, depth, slots, --pinned);
      choice.pinned = static_cast<Pinned>(pinned);
      choice.shared_bytes = static_cast<int>(bytes);
      const double unpinned = request.fixed_bytes[kAllPinned] - request.fixed_bytes[choice.pinned];
      double cycles = 0;
      for (int step = 0; step < depth; ++step) {
        cycles += candidate.sweep(depth, step);
        // What is read from device memory, most of it from the L2 cache: 30 bytes a cycle and multiprocessor.
        cycles += unpinned * static_cast<double>(candidate.cells(depth - 1 - step)) / 30;
      }
      const double shell = static_cast<double>(candidate.cells(depth) - candidate.cells(0));
      cycles += (request.remote ? kRemoteMail : kLocalMail) + shell / request.limits.threads * 120;
      choice.seconds = cycles * kCycle / depth;
      if (!best || choice.seconds < best->seconds * (1 - 1e-9)) best = choice;
    }
  };
  Candidate candidate{request};
  const auto cut = [&](auto& self, int axis, int left) -> void {
    if (axis < 0) {
      consider(candidate);
      return;
    }
    // Whole warps along x: fewer tiles there than would leave 16 cells each.
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

} // namespace tasuki
