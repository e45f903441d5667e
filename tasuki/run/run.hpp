// run() executes a program a number of times, with the executor of the settings.
//
//   struct Change {
//     TS_CELL void operator()(auto c, auto u, auto v, auto change) const { change(c, v(c) > u(c) ? v(c) - u(c) : u(c) - v(c)); }
//   };
//   ts::Max<float> change(world, "change");
//   const auto relax = ts::sweep(Relax{}, grid.inner(1), ts::reads(u, ts::star(1)), ts::writes(v));
//   const auto look = ts::sweep(Change{}, grid.inner(1), ts::reads(u), ts::reads(v), ts::reduces(change));
//   ts::run(ts::program(relax, look, ts::swap(u, v)), {.times = 1000, .until = ts::below(change, 1e-5f, 10)});
#pragma once

#include <tasuki/program/program.hpp>
#include <tasuki/run/progress.hpp>
#include <tasuki/run/report.hpp>

#include <functional>
#include <vector>

namespace tasuki {

// A condition to stop before the last step. All ranks evaluate it every `every` steps.
struct Until {
  std::function<bool()> reached = {};
  long every = 1;
  // The data of below() and above(), with which an executor can evaluate the condition on the device.
  std::shared_ptr<detail::ReductionCore> reduction = {};
  double threshold = 0;
  bool below = true;
  // The run ends `late` steps after the step that reached the threshold, so that evaluation overlaps with these steps.
  long late = 0;
  // reached(), computed from the parts of all ranks, for host executors that gather the parts themselves.
  std::function<bool(const std::vector<char>&)> decides = {};
  // Set by run() from a monitor: who is told the parts of all ranks, and whether the value is compared at all.
  std::function<void(long step, const std::vector<char>&)> told = {};
  bool tests = true;
};

// Stops when a reduction is below, or above, a threshold. Each evaluation waits for the
// device, unless the kernel evaluates it itself, as with resident and blocked on GPUs.
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

// Who is told a value of every `every`-th step, on all ranks, in the order of steps. The device does not wait: it may
// be some steps ahead, so that fields and reductions have later values by then.
struct Monitor {
  std::shared_ptr<detail::ReductionCore> reduction = {};
  long every = 1;
  std::function<void(long step, const std::vector<char>& parts)> told = {};
};

//   ts::run(steps, {.times = 1000, .monitor = ts::monitor(change, tell, 10)}); // tell(long step, float value)
template <class Op, class Told>
Monitor monitor(const Reduction<Op>& reduction, const Told& told, long every = 1) {
  if (every < 1)
    throw Error("a monitor of every " + std::to_string(every) + " steps has no meaning", "use 1 or more");
  return {reduction.core(), every,
          [=](long step, const std::vector<char>& parts) { told(step, reduction.value_of(parts)); }};
}

struct RunOptions {
  long times = 1; // steps
  Until until = {};
  Monitor monitor = {};
  long done = 0;          // steps done by earlier runs: the next step has number done + 1
  Progress progress = {}; // shown if it has a label
};

// Returns when the device has finished. SIGTERM, SIGINT or SIGUSR1
// end the run early, after the same step on all ranks. Collective.
RunReport run(const Program& program, const RunOptions& options = {});

// Executes a single sweep once.
inline RunReport run(const Sweep& sweep) { return run(program(sweep)); }

} // namespace tasuki
