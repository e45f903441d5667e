// A pass of the executor streamed: its number of steps, and the cost of copying slabs to the device and back.
#pragma once

#include <tasuki/model/costs.hpp>
#include <tasuki/program/program.hpp>
#include <tasuki/route/tuning.hpp>

namespace tasuki {

// Seconds of a pass: max(bring, compute, take) + start if the device copies concurrently with sweeps, or the sum if the
// same cores do both.
struct StreamedPass {
  double steps = 1;
  double bring = 0, take = 0;
  double start = 0; // until the first slab has arrived, and after the last is computed

  // The time of a pass in addition to `compute`, the time of its sweeps.
  double beyond(double compute, bool beside) const;
};

// As many steps as make the sweeps as long as the copies, but at most those between two exchanges, sums or calls.
StreamedPass streamed_pass(const Workload& load, const Constants& constants);

// Whether some fields of the program lie in host memory, as their device has no room: they need streamed. The same on
// every rank.
bool lies_outside(const Program& program);

// The number of steps per pass of this program, the same on every rank.
int streamed_steps(const Program& program, const Tuning& tuning);

} // namespace tasuki
