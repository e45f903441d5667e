// How the boxes of a launch are mapped to thread blocks, as shared by host and kernel: tiles for the plain walk
// (walk_cuda.hpp), columns for cells that read many of their neighbours (ring_cuda.hpp).
#pragma once

#include <tasuki/device/kernel/bound.hpp>

namespace tasuki::detail {

inline constexpr int kTileBoxes = 8; // boxes per launch
inline constexpr int kLogBlock = 8;
static_assert(1 << kLogBlock == kBlock);

// A box cut into tiles. A block has 2^log threads along each axis.
template <int D>
struct TiledBox {
  int lo[D], n[D]; // cells
  int skip;        // cells before lo along x, so that warps start at cache lines
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

// Cells per thread: enough loads in flight to use the memory bandwidth.
TS_HD constexpr int cells_a_thread(int read_bytes) {
  return read_bytes <= 0 ? 4 : read_bytes <= 4 ? 8 : read_bytes <= 8 ? 4 : read_bytes <= 16 ? 2 : 1;
}
// How many of a thread's cells are adjacent along an axis. In three or more dimensions they are a window along the last
// last two axes, whose cells share more neighbours than those of a column; a shared neighbour is read once.
TS_HD constexpr int window_of(int cells, int axis, int dims) {
  const int across = dims > 2 && cells >= 4 ? 2 : 1;
  return axis == dims - 1 ? cells / across : axis == dims - 2 ? across : 1;
}

inline constexpr int kRingReach = 4; // the largest offset along x

// Threads and windows of the column walk: the threads along x, and the window of each thread.
template <int D>
struct RingShape {
  static constexpr int kWide = D == 3 ? 64 : kBlock;
  static constexpr int kHigh = kBlock / kWide;   // threads along the second axis
  static constexpr int kAcross = D == 3 ? 4 : 1; // cells of a thread along the second axis
  static constexpr int kAlong = D == 3 ? 2 : 8;  // planes computed together
  static constexpr int kRows = kHigh * kAcross;  // rows of a plane, without the halo
  static constexpr int kPitch = kWide + 2 * kRingReach;
};

// A box cut into columns.
template <int D>
struct RingColumns {
  int lo[D], n[D];
  int skip;               // cells before lo along x, so that warps start at cache lines
  int tiles[D];           // columns along x (and y), and pieces along the last axis
  int length;             // cells of a piece along the last axis
  int below[D], above[D]; // the largest offsets at which cells read
  int ring;               // planes in shared memory, a multiple of kAlong
  int plane_bytes;
};

} // namespace tasuki::detail
