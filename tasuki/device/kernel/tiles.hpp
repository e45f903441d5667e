// How a launch's boxes lie on thread blocks: what host and kernel have to know alike. Tiles for the plain walk
// (walk_cuda.hpp), columns for cells that read many of their neighbours (ring_cuda.hpp).
#pragma once

#include <tasuki/device/kernel/bound.hpp>

namespace tasuki::detail {

inline constexpr int kTileBoxes = 8; // boxes of one launch
inline constexpr int kLogBlock = 8;
static_assert(1 << kLogBlock == kBlock);

// A box cut into tiles. Threads of a block lie 2^log along each axis.
template <int D>
struct TiledBox {
  int lo[D], n[D]; // cells
  int skip;        // cells before lo along x, so that warps begin where cache lines do
  int tiles[D];
  int log[D];
  unsigned first_block;
};

template <int D>
struct Tiling {
  TiledBox<D> box[kTileBoxes];
  int boxes;
  unsigned blocks;
};

// Cells of a thread: enough loads in flight for the memory.
TS_HD constexpr int cells_a_thread(int read_bytes) {
  return read_bytes <= 0 ? 4 : read_bytes <= 4 ? 8 : read_bytes <= 8 ? 4 : read_bytes <= 16 ? 2 : 1;
}
// How many of U cells lie behind each other along an axis. In three dimensions and more they are a window along the last
// two: its cells have more in common than those of a column, and what they have in common is read once.
TS_HD constexpr int window_of(int cells, int axis, int dims) {
  const int across = dims > 2 && cells >= 4 ? 2 : 1;
  return axis == dims - 1 ? cells / across : axis == dims - 2 ? across : 1;
}

inline constexpr int kRingReach = 4; // along x, at most

// Of the columns: threads along x, and the window of each thread.
template <int D>
struct RingShape {
  static constexpr int kWide = D == 3 ? 64 : kBlock;
  static constexpr int kHigh = kBlock / kWide;   // threads across
  static constexpr int kAcross = D == 3 ? 4 : 1; // cells of a thread
  static constexpr int kAlong = D == 3 ? 2 : 8;  // planes that are done together
  static constexpr int kRows = kHigh * kAcross;  // of a plane, without what lies round it
  static constexpr int kPitch = kWide + 2 * kRingReach;
};

// A box cut into columns.
template <int D>
struct RingColumns {
  int lo[D], n[D];
  int skip;               // cells before lo along x, so that warps begin where cache lines do
  int tiles[D];           // columns along x (and y), and pieces along the last axis
  int length;             // cells of a piece
  int below[D], above[D]; // how far cells read
  int ring;               // planes in shared memory, a multiple of those that are done together
  int plane_bytes;
};

} // namespace tasuki::detail
