// A holding: the elements of an array that a node stores, its own and a shadow around them, and their positions.
//
//   // double a[10][10], cut into rows of blocks, with a shadow of one row above and below
//   const Holding holding(alignment, {{1, 1}, {}}, sizeof(double), 2);
//   holding.offset({6, 0});              // in bytes: its first own row is the second of its memory
//
// Elements are contiguous, the last dimension fastest. Along a dimension whose indices are consecutive (see
// AlignedAxis) an index is at cell index - first; cyclic pieces follow one another and have no shadow. A node with a part of
// the template beside the array's end, and no element, holds what a shadow of that part reaches of the array.
#pragma once

#include <tasuki/device/copy.hpp>
#include <tasuki/distribution/alignment.hpp>

#include <vector>

namespace tasuki {

inline constexpr int kArrayDims = Strided::kMaxLevels; // 7: one level per dimension
static_assert(kArrayDims >= 7);

// Copies of other nodes' elements, below and above the node's own; `full`: copies of all elements.
struct Shadow {
  long lo = 0, hi = 0;
  bool full = false;
  bool none() const { return lo == 0 && hi == 0 && !full; }
  friend bool operator==(const Shadow&, const Shadow&) = default;
};

class Holding {
public:
  struct Axis {
    long least = 0, end = 0; // own indices, from the first to past the last
    long lo = 0, hi = 0;     // cells of the shadow
    long cells = 0;          // of the memory, shadow included
    long stride = 0;         // bytes from a cell to the next
    bool linear = true;      // an index is at cell index - first
    long first = 0;          // index of the first cell, if linear
  };

  Holding() = default;
  // Throws Error if a shadow is below 0, or if cyclic pieces have one that is not full.
  Holding(const Alignment& alignment, const std::vector<Shadow>& shadows, long size, int node);

  bool empty() const { return bytes_ == 0; } // the node holds no element, not even in a shadow
  long bytes() const { return bytes_; }
  long size() const { return size_; } // of an element, bytes
  int dims() const { return static_cast<int>(axes_.size()); }
  const Axis& axis(int dim) const { return axes_[static_cast<std::size_t>(dim)]; }

  // The cell of an index along a dimension: an own one, or one of the shadow.
  long cell(const Alignment& alignment, int dim, long index) const;
  // The same for indices in equal steps, whose cells also are in equal steps.
  Progression cells(const Alignment& alignment, int dim, const Progression& indices) const;
  long offset(const Alignment& alignment, const std::vector<long>& index) const; // in bytes
  // The box of these cells, one progression per dimension, in memory that begins at `memory`.
  Strided box(char* memory, const std::vector<Progression>& cells) const;

private:
  std::vector<Axis> axes_;
  long size_ = 0, bytes_ = 0;
};

} // namespace tasuki
