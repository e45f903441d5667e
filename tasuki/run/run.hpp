// run(program, {.times = 1000}): does it, with the executor of the settings.
#pragma once

#include <tasuki/program/program.hpp>
#include <tasuki/run/progress.hpp>
#include <tasuki/run/report.hpp>

#include <functional>
#include <vector>

namespace tasuki {

// When to stop before the last step. The value is looked at every `every` steps, on all ranks.
struct Until {
  std::function<bool()> reached = {};
  long every = 1;
  // What below() and above() compare, so that an executor can look at it on the device.
  std::shared_ptr<detail::ReductionCore> reduction = {};
  double threshold = 0;
  bool below = true;
  // The run ends `late` steps after the step that reached the threshold: the look then hides behind the next steps.
  long late = 0;
  // reached() from the parts that all ranks have of the reduction, for executors on the host that gather them themselves.
  std::function<bool(const std::vector<char>&)> decides = {};
};

// Until a reduction falls below a threshold, or rises above it. The device is waited for at each look, or looks by
// itself where the executor is resident.
template <class Op>
Until below(const Reduction<Op>& reduction, typename Op::Number threshold, long every = 1, long late = 0) {
  return {[=] { return reduction.value() < threshold; },
          every,
          reduction.core(),
          static_cast<double>(threshold),
          true,
          late,
          [=](const std::vector<char>& parts) { return reduction.value_of(parts) < threshold; }};
}
template <class Op>
Until above(const Reduction<Op>& reduction, typename Op::Number threshold, long every = 1, long late = 0) {
  return {[=] { return reduction.value() > threshold; },
          every,
          reduction.core(),
          static_cast<double>(threshold),
          false,
          late,
          [=](const std::vector<char>& parts) { return reduction.value_of(parts) > threshold; }};
}

struct RunOptions {
  long times = 1; // steps
  Until until = {};
  long done = 0;          // steps that earlier runs did: the next is number done + 1
  Progress progress = {}; // shown if it has a label
};

// Returns when the device is done. SIGTERM, SIGINT or SIGUSR1 end it early, after the same step on all ranks.
// Collective.
RunReport run(const Program& program, const RunOptions& options = {});

// A single sweep, once.
inline RunReport run(const Sweep& sweep) { return run(program(sweep)); }

} // namespace tasuki
