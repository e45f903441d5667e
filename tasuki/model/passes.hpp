// The time of a step in passes over memory of several steps each (device/tiled/tiled.hpp).
//   const TiledStep step = pass_step(load, Constants::named("NVIDIA H200"));
//   if (step.not_here.empty()) use(step.compute, step.depth);
#pragma once

#include <tasuki/model/tiles.hpp>

namespace tasuki {

// With the tiles that a run cuts (tiling.hpp), two on a multiprocessor. The tiles of a block are done in rounds, as many
// at once as the device has room for, and a last round that is not full takes as long as a full one. Along cut axes the
// steps are limited by the depth of the grid's halo.
TiledStep pass_step(const Workload& load, const Constants& constants);

} // namespace tasuki
