// A pass of the executor streamed: how many steps it has, and what it costs to bring slabs to the device and back.
#pragma once

#include <tasuki/model/costs.hpp>
#include <tasuki/program/program.hpp>
#include <tasuki/route/tuning.hpp>

namespace tasuki {

// Seconds of a pass: max(bring, compute, take) + start where the device copies beside its sweeps, their sum where the same
// cores do all of it.
struct StreamedPass {
  double steps = 1;
  double bring = 0, take = 0;
  double start = 0; // until the first slab is there, and after the last is done

  // Of a pass whose sweeps take `compute`: what comes on top of them.
  double beyond(double compute, bool beside) const;
};

// As many steps as the sweeps need to take as long as the copies; no more than lie between two exchanges, sums or calls.
StreamedPass streamed_pass(const Workload& load, const Constants& constants);

// The steps of a pass of this program, the same on every rank.
int streamed_steps(const Program& program, const Tuning& tuning);

} // namespace tasuki
