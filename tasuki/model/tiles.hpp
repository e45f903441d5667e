// A step of a resident kernel on a GPU: its block stays in the shared memories of the multiprocessors, a tile
// in each, and tiles send each other their rims every so many steps.
#pragma once

#include <tasuki/model/constants.hpp>
#include <tasuki/model/workload.hpp>

#include <string>

namespace tasuki {

struct TiledStep {
  double compute = 0, latency = 0; // seconds a step
  int depth = 1;                   // steps from one exchange to the next: the fastest
  std::string not_here;            // why it cannot be done, or nothing
};

// `remote`: some of the rims come from other devices.
TiledStep tiled_step(const Workload& load, const Constants& constants, bool remote);

} // namespace tasuki
