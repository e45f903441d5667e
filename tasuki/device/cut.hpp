// How the boxes of a sweep are divided on a GPU: into tiles, or into columns if cells read many neighbours.
#pragma once

#include <tasuki/base/box.hpp>
#include <tasuki/device/kernel/tiles.hpp>

#include <algorithm>
#include <optional>
#include <vector>

namespace tasuki::detail {

inline constexpr unsigned kEnoughBlocks = 256; // enough for every multiprocessor to have some

template <int D>
Tiling<D> tiling_of(const Box* boxes, int count, int unroll) {
  Tiling<D> t{};
  for (int b = 0; b < count; ++b) {
    if (boxes[b].empty()) continue;
    TiledBox<D>& box = t.box[t.boxes++];
    // Whole warps along x, several where rows are long; threads not needed along one axis are used along the next.
    int left = kLogBlock;
    for (int a = 0; a < D; ++a) {
      const int each = window_of(unroll, a, D);
      const long cells = (boxes[b].extent(a) + each - 1) / each;
      int log = std::min(left, a > 0 || D == 1 ? left : D == 2 ? 7 : 6);
      while (D > 1 && log > 0 && (1L << (log - 1)) >= cells) --log;
      box.log[a] = log;
      left -= log;
    }
    box.first_block = t.blocks;
    // The first owned cell of every row starts a cache line (Layout).
    box.skip = D > 1 && box.log[0] >= 5 ? static_cast<int>(boxes[b].lo[0] & 31) : 0;
    const auto cut = [&] {
      unsigned tiles = 1;
      for (int a = 0; a < D; ++a) {
        box.lo[a] = static_cast<int>(boxes[b].lo[a]);
        box.n[a] = static_cast<int>(boxes[b].extent(a));
        const int cells = window_of(unroll, a, D) << box.log[a];
        box.tiles[a] = (box.n[a] + (a == 0 ? box.skip : 0) + cells - 1) / cells;
        tiles *= static_cast<unsigned>(box.tiles[a]);
      }
      return tiles;
    };
    unsigned tiles = cut();
    // Few cells are faster when spread over all multiprocessors than when packed into full blocks.
    for (int a = D - 1; a > 1; --a)
      for (; tiles < kEnoughBlocks && box.log[a] > 0; tiles = cut()) --box.log[a];
    t.blocks += tiles;
  }
  return t;
}

inline int boxes_of_launch(const std::vector<Box>& boxes, std::size_t at) {
  return static_cast<int>(std::min<std::size_t>(kTileBoxes, boxes.size() - at));
}

// The number of blocks of the largest launch over these boxes, which bounds the parts of a reduction.
template <int D>
long most_blocks(const std::vector<Box>& boxes, int unroll) {
  unsigned most = 0;
  for (std::size_t at = 0; at < boxes.size(); at += kTileBoxes)
    most = std::max(most, tiling_of<D>(&boxes[at], boxes_of_launch(boxes, at), unroll).blocks);
  return most;
}

// Sweeps that read fewer numbers are limited by memory bandwidth, not by load instructions: tiles are as fast there.
inline constexpr long kRingPoints = 12;
// Cells of a piece along the last axis: the halo planes at both of its ends are copied by two pieces.
inline constexpr int kLongestPiece = 128, kShortestPiece = 32;
inline constexpr unsigned kManyColumns = 1024; // enough pieces that no multiprocessor is idle at the end
inline constexpr unsigned kFewColumns = 256;   // with fewer, some multiprocessors are always idle

// How many numbers a cell reads, including its own.
inline long points_of(const ReadShape& shape, int dims) {
  long off[ReadShape::kAxes + 1] = {1}; // by the number of axes of the offset
  for (int a = 0; a < dims; ++a)
    for (int k = a + 1; k > 0; --k) off[k] += off[k - 1] * (shape.below[a] + shape.above[a]);
  long points = 0;
  for (int k = 0; k <= std::min<int>(shape.order, dims); ++k) points += off[k];
  return points;
}

template <int D>
unsigned blocks_of(const RingColumns<D>& columns) {
  unsigned blocks = 1;
  for (const int tiles : columns.tiles) blocks *= static_cast<unsigned>(tiles);
  return blocks;
}

// The columns of a box if they are faster than tiles: if there are at least `few` pieces of them.
template <int D>
std::optional<RingColumns<D>> columns_of(const Box& box, const ReadShape& shape, std::size_t bytes,
                                         std::size_t shared_limit, unsigned few = kFewColumns) {
  using S = RingShape<D>;
  if (box.empty() || points_of(shape, D) < kRingPoints) return {};
  RingColumns<D> c{};
  for (int a = 0; a < D; ++a) {
    c.lo[a] = static_cast<int>(box.lo[static_cast<std::size_t>(a)]);
    c.n[a] = static_cast<int>(box.extent(a));
    c.below[a] = shape.below[a];
    c.above[a] = shape.above[a];
    if (a < D - 1 && c.below[a] + c.above[a] > 2 * kRingReach) return {};
  }
  const int rows = D == 3 ? S::kRows + c.below[D - 2] + c.above[D - 2] : 1;
  if (rows * (c.below[0] + c.above[0]) > kBlock) return {};
  c.plane_bytes = S::kPitch * rows * static_cast<int>(bytes);
  const auto tiles = [](int cells, int each) { return (cells + each - 1) / each; };
  c.ring = (tiles(c.below[D - 1] + c.above[D - 1], S::kAlong) + 2) * S::kAlong;
  if (static_cast<std::size_t>(c.ring) * static_cast<std::size_t>(c.plane_bytes) > shared_limit) return {};
  c.skip = c.lo[0] & 31; // the first owned cell of every row starts a cache line (Layout)
  c.tiles[0] = tiles(c.n[0] + c.skip, S::kWide);
  if constexpr (D == 3) c.tiles[1] = tiles(c.n[1], S::kRows);
  for (c.length = kLongestPiece;; c.length /= 2) {
    c.tiles[D - 1] = tiles(c.n[D - 1], c.length);
    const unsigned blocks = blocks_of(c);
    if (blocks >= kManyColumns) return c;
    if (c.length == kShortestPiece) return blocks >= few ? std::optional(c) : std::nullopt;
  }
}

} // namespace tasuki::detail
