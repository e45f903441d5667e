// A block in parts that one call to HDF5 or MPI can move: their counts are ints.
#pragma once

#include <tasuki/base/box.hpp>

#include <vector>

namespace tasuki {

// Cuts the box along its slowest axes into boxes of at most `cells` cells (or one cell), each contiguous where the
// box lies dense in memory, in the order of memory.
std::vector<Box> slabs(const Box& box, long cells);

} // namespace tasuki
