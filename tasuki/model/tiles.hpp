// A step of the kernels that do many. Of a resident one: its block stays in the shared memories of the multiprocessors, a tile
// in each, and tiles exchange their rims every few steps.
#pragma once

#include <tasuki/model/constants.hpp>
#include <tasuki/model/workload.hpp>

#include <string>

namespace tasuki {

struct TiledStep {
  double compute = 0, latency = 0; // seconds a step
  double look = 0;                 // seconds of a look at a reduction in a pass
  int depth = 1;                   // steps from one exchange to the next: the fastest
  std::string not_here = {};       // why it cannot be done, or nothing
};

// `remote`: some of the rims come from other devices.
TiledStep tiled_step(const Workload& load, const Constants& constants, bool remote);

// Of passes over memory that do several steps each: cubes of the block, as large as two of them fit into the shared
// memory of a multiprocessor, with a halo as deep as the steps reach. Where an axis is cut, no more steps than the
// grid's halo is deep.
TiledStep pass_step(const Workload& load, const Constants& constants);

} // namespace tasuki
