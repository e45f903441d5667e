// How a grid is cut into blocks, one a rank. Plain arithmetic: nothing is allocated, no rank is asked.
#pragma once

#include <tasuki/base/box.hpp>

#include <functional>
#include <vector>

namespace tasuki {

// What a halo message is predicted to cost: latency + bytes / bandwidth, the bytes of a face across x counted
// `stride_factor` times, since its cells lie one a row. What goes to another node is packed so, and then travels with
// `far` latency and bandwidth.
struct ExchangeCost {
  double latency = 5e-6;    // s a message
  double bandwidth = 5e9;   // bytes/s
  double stride_factor = 4; // of a face across x
  double cell_bytes = 8;
  int ranks_a_node = 0; // 0: all ranks are on one node
  double far_latency = 0, far_bandwidth = 0;
};
ExchangeCost exchange_cost_host();
ExchangeCost exchange_cost_cuda();

// A box of cells and how it is cut. Blocks count x first: block = cx + px*(cy + py*cz). Rank r has block r unless map()
// has given it another.
struct Decomposition {
  int dims = 0;
  Index extents{}; // cells of the grid
  std::array<bool, kMaxDims> periodic{};
  std::array<bool, kMaxDims>
      wraps{}; // where it is periodic and not cut, it is read round its end, without a halo
  std::array<int, kMaxDims> ranks{}; // process grid
  std::vector<std::vector<long>>
      offsets; // per axis, ranks[a] + 1 of them: block c is [offsets[c], offsets[c+1])

  std::vector<int> rank_of_block, block_of_rank; // empty: the same numbers

  int size() const;                 // ranks in all
  void map(std::vector<int> ranks); // the rank of each block, each once; none: the same numbers
  std::array<int, kMaxDims> coords(int rank) const; // place in the process grid
  int rank_at(const std::array<int, kMaxDims>& coords) const;
  Box block(int rank) const; // global cells of a rank
  bool exchanges(int axis) const {
    return ranks[axis] > 1 || (periodic[axis] && !wraps[axis]);
  } // has neighbours along the axis
  bool wraps_at(int axis) const { return periodic[axis] && wraps[axis] && ranks[axis] == 1; }
  long smallest_block(int axis) const;
  // The rank one block away in each direction (-1, 0, +1 an axis), or -1 where the grid ends.
  int neighbour(int rank, const std::array<int, kMaxDims>& direction) const;
};

// The halo that a grid so cut has, of the one that it asks for: axes that wrap have none.
Widths halo_of(const Decomposition& cut, Widths asked);

// The cells of `region` that lie in a rank's block grown by `by`, in local coordinates (owned cells from 0). Along a
// periodic axis a region's images count, so one box of the halo may be several.
std::vector<Box> local_parts(const Decomposition& cut, int rank, const Box& region, const Widths& by);

struct DecompositionRequest {
  int dims = 0;
  Index extents{};
  std::array<bool, kMaxDims> periodic{};
  std::array<bool, kMaxDims> wraps{}; // as a Decomposition's
  Widths halo{};
  std::array<int, kMaxDims> ranks{}; // 0: free
  std::vector<std::vector<long>>
      blocks;   // explicit block sizes an axis; an empty list leaves the axis to Tasuki
  int size = 1; // ranks to cut it for
};

// The cut with the least predicted exchange time among those that fit the request, the same on every rank.
// Throws Error: an extent below 1, more cells along an axis of a rank than an int numbers, a process grid that does not match the ranks, blocks that do not add up, a rank
// without cells, a halo wider than a block.
Decomposition decompose(const DecompositionRequest& request, const ExchangeCost& cost);

// Calls `consider` with each shape of a brick. A brick is a box of adjacent blocks, and whole bricks fill the process
// grid. What the ranks of one node had best be given.
void each_brick(const Decomposition& cut, int blocks,
                const std::function<void(const std::array<int, kMaxDims>&)>& consider);

// Seconds that one exchange of the halo is predicted to take on the slowest rank, nodes having the best brick there is.
double predicted_exchange(const Decomposition& cut, const Widths& halo, const ExchangeCost& cost);

} // namespace tasuki
