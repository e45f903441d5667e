// A decomposition: how a grid is cut into blocks, one per rank. Pure arithmetic: no device memory, no communication.
#pragma once

#include <tasuki/base/box.hpp>

#include <functional>
#include <vector>

namespace tasuki {

// The predicted time of a halo message: latency + bytes / bandwidth. The bytes of a face across
// x count `stride_factor` times, since each of its cells is in another row. A message to
// another node is packed at this cost, and then travels with the `far` latency and bandwidth.
struct ExchangeCost {
  double latency = 5e-6;    // s per message
  double bandwidth = 5e9;   // bytes/s
  double stride_factor = 4; // of a face across x
  double cell_bytes = 8;
  int ranks_a_node = 0; // 0: all ranks are on one node
  double far_latency = 0, far_bandwidth = 0;
};
ExchangeCost exchange_cost_host();
ExchangeCost exchange_cost_cuda();

// A box of cells and its blocks. Blocks are numbered x first:
// block = cx + px*(cy + py*cz). Rank r has block r unless map() has assigned another.
struct Decomposition {
  int dims = 0;
  Index extents{}; // cells of the grid
  std::array<bool, kMaxDims> periodic{};
  std::array<bool, kMaxDims>
      wraps{}; // if such an axis is periodic and not cut, it has no halo: reads wrap around its end
  std::array<int, kMaxDims> ranks{}; // process grid
  std::vector<std::vector<long>>
      offsets; // for each axis ranks[a] + 1 numbers: block c is [offsets[c], offsets[c+1])

  std::vector<int> rank_of_block, block_of_rank; // empty: rank r has block r

  int size() const;                 // the number of ranks
  void map(std::vector<int> ranks); // the rank of each block, each once; empty: rank r has block r
  std::array<int, kMaxDims> coords(int rank) const; // place in the process grid
  int rank_at(const std::array<int, kMaxDims>& coords) const;
  Box block(int rank) const; // global cells of a rank
  bool exchanges(int axis) const {
    return ranks[axis] > 1 || (periodic[axis] && !wraps[axis]);
  } // has neighbours along the axis
  bool wraps_at(int axis) const { return periodic[axis] && wraps[axis] && ranks[axis] == 1; }
  long smallest_block(int axis) const;
  // The rank one block away in each direction (-1, 0, +1 per axis), or -1 beyond the grid.
  int neighbour(int rank, const std::array<int, kMaxDims>& direction) const;
};

// The halo of a grid with this decomposition that asks for `asked`: axes that wrap have none.
Widths halo_of(const Decomposition& cut, Widths asked);

// The cells of `region` in a rank's block extended by `by`, in local coordinates (owned cells from 0).
// Along a periodic axis the images of the region are included, so one box of the halo may become several.
std::vector<Box> local_parts(const Decomposition& cut, int rank, const Box& region, const Widths& by);

struct DecompositionRequest {
  int dims = 0;
  Index extents{};
  std::array<bool, kMaxDims> periodic{};
  std::array<bool, kMaxDims> wraps{}; // as a Decomposition's
  Widths halo{};
  std::array<int, kMaxDims> ranks{}; // 0: free
  std::vector<std::vector<long>>
      blocks;   // explicit block sizes per axis; an empty list leaves the axis to Tasuki
  int size = 1; // number of ranks
};

// The decomposition with the least predicted exchange time among those that fit the request, the same on every
// rank. Throws Error: an extent below 1, more cells of a rank along an axis than an int can count, a process grid
// that does not match the ranks, blocks that do not add up, a rank without cells, a halo wider than a block.
Decomposition decompose(const DecompositionRequest& request, const ExchangeCost& cost);

// Calls `consider` with each shape of a brick of `blocks` blocks. A brick is a box of adjacent
// blocks; whole bricks fill the process grid. The ranks of a node should get the blocks of one brick.
void each_brick(const Decomposition& cut, int blocks,
                const std::function<void(const std::array<int, kMaxDims>&)>& consider);

// The predicted seconds of one exchange of the halo on the slowest rank, if each node has the blocks of the best brick.
double predicted_exchange(const Decomposition& cut, const Widths& halo, const ExchangeCost& cost);

} // namespace tasuki
