// The contiguous runs of a box in a file that stores all cells of the grid one after another, x fastest.
#pragma once

#include <tasuki/base/box.hpp>

#include <cstdint>

namespace tasuki {

// Calls visit(index of the first cell, cells) for each run of cells that is contiguous in the file, in the
// order of the box, x fastest. An empty box has no runs.
template <class Visit>
void for_runs(const Box& box, const Index& extents, const Visit& visit) {
  if (box.empty()) return;
  // A run spans all axes that the box covers completely, and the first axis that it covers in part.
  int split = 0;
  while (split < box.dims - 1 && box.extent(split) == extents[split]) ++split;
  long cells = 1;
  for (int a = 0; a <= split; ++a) cells *= box.extent(a);
  for (Index at = box.lo;;) {
    std::uint64_t place = 0;
    for (int a = box.dims - 1; a >= 0; --a) place = place * static_cast<std::uint64_t>(extents[a]) + at[a];
    visit(place, cells);
    int a = split + 1;
    while (a < box.dims && ++at[a] == box.hi[a]) {
      at[a] = box.lo[a];
      ++a;
    }
    if (a >= box.dims) return;
  }
}

} // namespace tasuki
