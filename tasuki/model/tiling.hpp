// How a block is cut into tiles for kernels of many steps, and the number of steps between exchanges.
#pragma once

#include <tasuki/device/tiled/tiled.hpp>

#include <array>
#include <optional>

namespace tasuki {

struct TilingRequest {
  int dims = 0;
  Index extents{};                       // cells of the block; the maximum over ranks
  std::array<int, kMaxDims> reach{};     // the largest offset at which a step reads
  std::array<int, kMaxDims> most_halo{}; // of a tile, at most
  int slot_bytes = 0;                    // bytes per cell, of all slots
  int number_bytes = 4;                  // bytes per number of the slots
  std::array<int, 3> fixed_bytes{};      // bytes per cell of the memories copied to shared memory, by Pinned
  int depth = 0;                         // steps between exchanges; 0: choose the best
  int most_depth = 16;
  bool remote = false;    // some halos come from other devices
  bool odd_depth = false; // for a pass
  TiledLimits limits = {};
};

struct TilingChoice {
  std::array<int, kMaxDims> tiles{};
  int depth = 1;
  Pinned pinned = kNonePinned;
  int shared_bytes = 0;
  double seconds = 0; // per step, predicted
};

int tile_cells(const TilingRequest& request, int axis, int tiles); // along the axis, of the longest tile

// The layout of a tile with a halo of `halo` steps in shared memory, x fastest; in numbers.
struct TileLayout {
  std::array<int, kMaxDims> stride{};
  int plane = 0; // total size
};
TileLayout tile_layout(const TilingRequest& request, const std::array<int, kMaxDims>& tiles, int depth,
                       int halo);
int padded_bytes(long bytes); // of a slot in shared memory

// The choice with the least predicted time, the same for equal requests; none if no cut fits into shared memory.
std::optional<TilingChoice> best_tiling(const TilingRequest& request);

// The same for passes over memory: tiles so large that two fit on a multiprocessor, and at least 2 steps per pass.
std::optional<TilingChoice> best_pass(const TilingRequest& request);

// The tiles of waves (device/kernel/wave.hpp): passes of kWaveSteps steps in which tiles move along z, on all multiprocessors.
// None if the request's cells or halos do not suit them.
std::optional<TilingChoice> wave_tiles(const TilingRequest& request);

} // namespace tasuki
