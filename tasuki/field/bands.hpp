// Bands: blocks that are cut along the slowest axis alone. The ranks of a node keep the bands of a field one behind another
// in one memory, so the halo of a band towards another of its node is that one's own cells, and nothing is copied.
//
//   const Bands bands(cut, links);                 // throws Error if this cut has none
//   bands.beside(2);                               // planes of other ranks in the same memory, below and above those of rank 2
//   bands.side_by_side(2, {0, 1});                 // true: the halo of the neighbour above is this rank's own planes
#pragma once

#include <tasuki/field/decompose.hpp>
#include <tasuki/field/layout.hpp>
#include <tasuki/route/links.hpp>

#include <array>
#include <vector>

namespace tasuki {

// The rank of the band that follows that of `rank` along the slowest axis (step 1), or comes before it (step -1).
// -1: there is none, as at the ends of the axis, periodic or not: cells that wrap lie at the other end of memory.
int next_band(const Decomposition& cut, int rank, int step);

class Bands {
public:
  Bands() = default; // none
  // Throws Error, the same on every rank, if the grid has one axis, is cut along
  // another than the slowest, or if the blocks of a node do not follow each other.
  Bands(const Decomposition& cut, const Links& links);

  bool any() const { return !node_.empty(); }
  Beside beside(int rank) const;
  // Whether the cells that `rank` sends in this direction lie in the memory of the receiver. They are
  // its halo itself where the direction is along the slowest axis alone.
  bool side_by_side(int rank, const std::array<int, kMaxDims>& direction) const;

private:
  Decomposition cut_;
  int axis_ = 0;
  std::vector<int> node_, block_; // by rank
  std::vector<long> from_, to_;   // by rank: its planes
};

} // namespace tasuki
