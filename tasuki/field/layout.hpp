// Where the cells of a block lie in memory, the same rule on every rank, so that a rank can address a neighbour's.
#pragma once

#include <tasuki/base/box.hpp>

namespace tasuki {

// In elements, x fastest. Every field of a grid has the same layout, so one cell index serves them all (of what has many
// components each row is followed by the same row of the next component: see FieldCore). Rows are
// padded (by at most an eighth) so that the first owned cell of every row is aligned to 8 to 32 elements where it can be.
struct Layout {
  int dims = 0;
  Index extents{}; // owned cells
  Widths halo{};
  Index stride{}; // elements between neighbours along each axis; stride[0] = 1
  long lead = 0;  // elements from the start of a component to the first owned cell
  long plane = 0; // elements of a component, a multiple of 64

  long index(const Index& local) const { // of a cell, relative to the first owned cell
    long i = 0;
    for (int a = 0; a < dims; ++a) i += local[a] * stride[a];
    return i;
  }
  long row() const { return dims > 1 ? stride[1] : plane; } // elements from a row of x to the next
};

// How much of a row may be padding so that rows begin on a cache line of 32 numbers: an eighth on a GPU, whose warps read
// whole lines; a thirty-second on a CPU, which fetches ahead what lies between the rows. Sectors of 8 are worth an eighth
// to both.
enum class Padding { cpu, gpu };

Layout layout_of(int dims, const Index& extents, const Widths& halo, Padding padding = Padding::gpu);

} // namespace tasuki
