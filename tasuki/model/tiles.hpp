// The time of a step in a resident kernel: the block stays in the shared memories of the multiprocessors, one tile in
// each, and tiles exchange their rims every few steps. Passes over memory: passes.hpp.
#pragma once

#include <tasuki/model/constants.hpp>
#include <tasuki/model/workload.hpp>

#include <string>

namespace tasuki {

struct TiledStep {
  double compute = 0, latency = 0; // seconds per step
  double look = 0;                 // seconds per look at a reduction in a pass ..
  double looking = 0;              // .. and per step of passes that may look
  int depth = 1;                   // steps between exchanges: the fastest choice
  bool looks = true;               // passes evaluate looks themselves
  std::string not_here = {};       // why it is not possible; empty if it is
};

// Warps of a tile's kernel: fewer where a cell needs many registers (device/tiled/columns.hpp).
int tiled_warps(const Workload& load);

// `remote`: some rims come from other devices.
TiledStep tiled_step(const Workload& load, const Constants& constants, bool remote);

} // namespace tasuki
