// Where the cells of a block lie in memory, the same rule on every rank, so that a rank can address a neighbour's.
#pragma once

#include <tasuki/base/box.hpp>

namespace tasuki {

// In elements, x fastest. Every field of a grid has the same layout, so one cell index serves them all. Rows are
// padded (by at most an eighth) so that the first owned cell of every row is aligned to 32 elements where it can be.
struct Layout {
  int dims = 0;
  Index extents{}; // owned cells
  Widths halo{};
  Index stride{};  // elements between neighbours along each axis; stride[0] = 1
  long lead = 0;   // elements from the start of a component to the first owned cell
  long plane = 0;  // elements of a component, a multiple of 64

  long index(const Index& local) const { // of a cell, relative to the first owned cell
    long i = 0;
    for (int a = 0; a < dims; ++a) i += local[a] * stride[a];
    return i;
  }
};

Layout layout_of(int dims, const Index& extents, const Widths& halo);

} // namespace tasuki
