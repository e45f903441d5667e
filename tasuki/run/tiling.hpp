// How a block is cut into tiles for kernels of many steps, and how many steps lie between their exchanges.
#pragma once

#include <tasuki/device/tiled/tiled.hpp>

#include <array>
#include <optional>

namespace tasuki {

struct TilingRequest {
  int dims = 0;
  Index extents{};                       // cells of the block, the largest of all ranks
  std::array<int, kMaxDims> reach{};     // cells that a step reads beyond its own
  std::array<int, kMaxDims> most_halo{}; // of a tile
  int slot_bytes = 0;                    // a cell, of all slots
  int number_bytes = 4;                  // of a number in them
  std::array<int, 3> fixed_bytes{};      // a cell, of what has a copy in shared memory, by Pinned
  int depth = 0;                         // steps between exchanges; 0: the best
  int most_depth = 16;
  bool remote = false;    // some halo comes from another device
  bool odd_depth = false; // of a pass
  TiledLimits limits = {};
};

struct TilingChoice {
  std::array<int, kMaxDims> tiles{};
  int depth = 1;
  Pinned pinned = kNonePinned;
  int shared_bytes = 0;
  double seconds = 0; // a step, predicted
};

int tile_cells(const TilingRequest& request, int axis, int tiles); // of the longest

// How a tile and `halo` steps of what surrounds it lie in shared memory, x fastest; numbers.
struct TileLayout {
  std::array<int, kMaxDims> stride{};
  int plane = 0; // all of it
};
TileLayout tile_layout(const TilingRequest& request, const std::array<int, kMaxDims>& tiles, int depth,
                       int halo);
int padded_bytes(long bytes); // of a slot in shared memory

// The choice with the least predicted time, the same wherever the request is; none where no cut fits.
std::optional<TilingChoice> best_tiling(const TilingRequest& request);

// Likewise for passes over memory: tiles as large as two of them fit on a multiprocessor, and 2 steps or more a pass.
std::optional<TilingChoice> best_pass(const TilingRequest& request);

} // namespace tasuki
