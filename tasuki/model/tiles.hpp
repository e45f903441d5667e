// The time of a step in kernels of many steps. In a resident kernel the block stays in the shared memories of the
// multiprocessors, one tile in each, and tiles exchange their rims every few steps.
#pragma once

#include <tasuki/model/constants.hpp>
#include <tasuki/model/workload.hpp>

#include <string>

namespace tasuki {

struct TiledStep {
  double compute = 0, latency = 0; // seconds per step
  double look = 0;                 // seconds per look at a reduction in a pass
  int depth = 1;                   // steps between exchanges: the fastest choice
  std::string not_here = {};       // why it is not possible; empty if it is
};

// `remote`: some rims come from other devices.
TiledStep tiled_step(const Workload& load, const Constants& constants, bool remote);

// For passes over memory of several steps each: tiles are cubes of the block, so large that two fit into the shared
// memory of a multiprocessor, with a halo for all steps. Along cut axes, the steps are limited by the depth of the
// grid's halo.
TiledStep pass_step(const Workload& load, const Constants& constants);

} // namespace tasuki
