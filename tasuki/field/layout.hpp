// The layout of a block's cells in memory. The rule is the same on every rank, so that a rank can address a neighbour's cells.
#pragma once

#include <tasuki/base/box.hpp>

namespace tasuki {

// Lengths are in elements, x fastest. All fields of a grid have the same layout, so one cell index is valid for all of
// them (of a field with many components, each row is followed by the same row of the next component: see FieldCore). Rows
// are padded by at most an eighth, so that the first owned cell of every row is aligned to 8 to 32 elements if possible.
struct Layout {
  int dims = 0;
  Index extents{}; // owned cells
  Widths halo{};
  Index stride{}; // elements between neighbours along each axis; stride[0] = 1
  // Cells along the slowest axis of other ranks that lie before this one's in the same memory: see Bands.
  long below = 0;
  long lead = 0;  // elements from the start of a component to the first owned cell
  long plane = 0; // elements of a component, a multiple of 64

  long index(const Index& local) const { // of a cell, relative to the first owned cell
    long i = 0;
    for (int a = 0; a < dims; ++a) i += local[a] * stride[a];
    return i;
  }
  long row() const { return dims > 1 ? stride[1] : plane; } // elements from a row of x to the next
};

// The most padding of rows that begin on a cache line of 32 numbers: an eighth of a
// row on a GPU, whose warps read whole lines; a thirty-second on a CPU, which also
// prefetches the padding. To align rows to sectors of 8 numbers, both allow an eighth.
enum class Padding { cpu, gpu };

// Cells along the slowest axis that other ranks of the node have in the same memory, before and behind a rank's own.
struct Beside {
  long below = 0, above = 0;
};

Layout layout_of(int dims, const Index& extents, const Widths& halo, Padding padding = Padding::gpu,
                 const Beside& beside = {});

} // namespace tasuki
