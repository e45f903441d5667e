#include <tasuki/base/error.hpp>
#include <tasuki/model/executors.hpp>
#include <tasuki/model/passes.hpp>
#include <tasuki/model/streamed.hpp>
#include <tasuki/model/tiles.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tasuki {
namespace {

constexpr double kWorthAKernel = 4; // steps between two evaluations by the host
constexpr const char* kByMessages = "a face goes by mpi";
constexpr const char* kNotAlike = "a step is more than a sweep and swaps";
constexpr const char* kLookedAt = "the host looks at a reduction before many steps are done";
constexpr const char* kAnywhere = "a sweep reads anywhere";
constexpr double kStepLaunches = 4;   // of a step by itself, between two kernels of many steps
constexpr double kWarpSums = 0.14e-6; // a warp adds its digits of an exact sum, one after the other: H100
constexpr double kShortSweep = 12e6;  // bytes: below it, a graph's fork and join cost more than they hide

bool alike(const Workload& load, bool refreshes) { // steps that kernels of many steps support
  return std::all_of(load.steps.begin(), load.steps.end(), [&](const StepLoad& step) {
    return step.sweeps.size() == 1 && (refreshes || step.refreshes.empty());
  });
}

bool reads_anywhere(const Workload& load) {
  return std::any_of(load.steps.begin(), load.steps.end(), [](const StepLoad& step) {
    return std::any_of(step.sweeps.begin(), step.sweeps.end(),
                       [](const SweepLoad& sweep) { return sweep.anywhere; });
  });
}

// The host enqueues every sweep of every step, while the device does earlier work; on the host it executes them.
StepCost launched(const Costs& costs, bool beside, int events) {
  return {"", [&costs, beside, events](const StepLoad& step) {
            const Constants& c = costs.machine();
            const Workload& load = costs.load();
            Parts parts;
            double issue = c.step, exposed = 0;
            for (const SweepLoad& sweep : step.sweeps) {
              costs.add_sweep(sweep, beside, parts);
              issue += c.launch * (1 + (sweep.reduces ? 1 : 0));
              if (!sweep.exchanges) continue;
              const double calls = costs.calls_of(sweep.faces) * c.launch;
              // Neighbours wait for each other, so that no host is ahead of its exchange, and only a sweep beside it hides it.
              if (!beside && c.cuda && costs.remote())
                exposed += calls;
              else
                issue += calls;
              issue += events * c.event;
              if (beside) issue += c.launch; // of the rim
            }
            for (const auto& faces : step.refreshes) {
              costs.add_refresh(faces, parts);
              issue += costs.calls_of(faces) * c.launch;
            }
            if (c.cuda) { // until the host needs a result
              parts[Part::host] += exposed + std::max(0.0, issue - parts.total());
              if (step.calls > 0) parts[Part::host] += c.launch;
            } else {
              const double regions = static_cast<double>(step.sweeps.size() + step.refreshes.size());
              parts[Part::host] += c.step + regions * c.launch;
            }
            parts[Part::host] += step.calls * costs.answer();
            if (c.cuda || !load.look_late) parts[Part::host] += load.looks * costs.look();
            return parts;
          }};
}
StepCost eager(const Costs& costs) { return launched(costs, false, 0); }
StepCost overlapped(const Costs& costs) { return launched(costs, true, 5); }

// Graph nodes instead of launches, without the host; a short sweep follows its exchange.
StepCost graph(const Costs& costs) {
  if (costs.by(ChannelKind::mpi)) return {kByMessages};
  return {"", [&costs](const StepLoad& step) {
            const Constants& c = costs.machine();
            Parts parts;
            for (const SweepLoad& sweep : step.sweeps)
              costs.add_sweep(sweep, sweep.bytes > kShortSweep, parts);
            for (const auto& faces : step.refreshes) costs.add_refresh(faces, parts);
            if (step.calls > 0) parts[Part::host] += c.launch;
            parts[Part::host] += step.calls * costs.answer() + costs.load().looks * costs.look();
            return parts;
          }};
}

// Exchanges and passes alternate, enqueued by the host. Passes evaluate looks themselves, where ranks need no messages and the
// host no values, and the host checks after some tens of passes.
StepCost blocked(const Costs& costs) {
  constexpr double kAtOnce = 32; // passes
  const Workload& of = costs.load();
  if (reads_anywhere(of)) return {kAnywhere};
  if (!alike(of, true)) return {kNotAlike};
  const TiledStep tiled = pass_step(of, costs.machine());
  const bool looks =
      tiled.looks && of.looks > 0 && of.looks_in_kernels && !of.look_told && !costs.by(ChannelKind::mpi);
  if (!looks && kWorthAKernel * of.looks > 1) return {kLookedAt};
  return {
      tiled.not_here, [&costs, tiled, looks](const StepLoad& step) {
        const Constants& c = costs.machine();
        const double often = costs.load().looks;
        Parts parts;
        parts[Part::compute] = tiled.compute + (looks ? tiled.looking + often * tiled.look : 0);
        parts[Part::latency] = costs.gap() / tiled.depth;
        if (looks && costs.load().cut.size() > 1) parts[Part::latency] += c.flag / tiled.depth;
        double issue = (c.step + c.launch) / tiled.depth, exposed = 0;
        for (const SweepLoad& sweep : step.sweeps) {
          if (!sweep.exchanges) continue;
          const ExchangeSeconds cost = costs.exchange(sweep.faces);
          parts[Part::latency] += cost.latency;
          parts[Part::bandwidth] += cost.bandwidth;
          (costs.remote() ? exposed : issue) += costs.calls_of(sweep.faces) * c.launch;
        }
        parts[Part::host] = exposed + std::max(0.0, issue - parts.total());
        if (looks) parts[Part::host] += c.synchronize / kAtOnce / tiled.depth;
        parts[Part::host] += step.calls * (costs.answer() + c.launch);
        if (looks || often == 0) return parts;
        Parts alone; // the step that the host looks at, the one before it, and what is too short for a pass
        for (const SweepLoad& sweep : step.sweeps) costs.add_sweep(sweep, true, alone);
        parts[Part::compute] += 3 * often * std::max(0.0, alone.total() - tiled.compute);
        parts[Part::host] += often * costs.look();
        return parts;
      }};
}

// All steps in one kernel, which ends at each call of the host.
StepCost resident_kernel(const Costs& costs) {
  const Workload& of = costs.load();
  if (reads_anywhere(of)) return {kAnywhere};
  if (costs.by(ChannelKind::mpi)) return {kByMessages};
  if (!alike(of, false)) return {kNotAlike};
  if (!of.looks_in_kernels && kWorthAKernel * of.looks > 1) return {kLookedAt};
  const bool remote = costs.remote();
  const TiledStep tiled = tiled_step(costs.load(), costs.machine(), remote);
  return {tiled.not_here, [&costs, tiled, remote](const StepLoad& step) {
            const Constants& c = costs.machine();
            const Workload& load = costs.load();
            Parts parts;
            parts[Part::compute] = tiled.compute;
            parts[Part::latency] = tiled.latency;
            for (const SweepLoad& sweep : step.sweeps)
              if (sweep.reduces) parts[Part::latency] += c.barrier + kWarpSums * tiled_warps(load);
            parts[Part::host] = step.calls * (costs.answer() + c.launch);
            if (load.looks_in_kernels) return parts;
            double alone = c.step + kStepLaunches * c.launch; // the step that is looked at
            for (const SweepLoad& sweep : step.sweeps)
              if (sweep.exchanges) alone += costs.calls_of(sweep.faces) * c.launch;
            parts[Part::host] += load.looks * (costs.answer() + c.launch + alone);
            return parts;
          }};
}

// Threads with barriers between sweeps; the ranks exchange the reductions that they evaluate.
StepCost resident(const Costs& costs) {
  if (costs.machine().cuda) return resident_kernel(costs);
  return {"", [&costs](const StepLoad& step) {
            const Workload& load = costs.load();
            Parts parts;
            for (const SweepLoad& sweep : step.sweeps) costs.add_sweep(sweep, true, parts);
            for (const auto& faces : step.refreshes) costs.add_refresh(faces, parts);
            parts[Part::host] += step.calls * costs.answer();
            if (!load.looks_in_kernels)
              parts[Part::host] += load.looks * costs.answer();
            else if (!load.look_late)
              parts[Part::latency] += load.looks * costs.machine().flag;
            return parts;
          }};
}

// Slabs of the fields are copied while others are swept; exchanges precede each pass.
StepCost streamed(const Costs& costs) {
  if (reads_anywhere(costs.load())) return {kAnywhere};
  const StreamedPass pass = streamed_pass(costs.load(), costs.machine());
  return {"", [&costs, pass](const StepLoad& step) {
            const Constants& c = costs.machine();
            Parts parts;
            for (const SweepLoad& sweep : step.sweeps) costs.add_sweep(sweep, false, parts);
            for (const auto& faces : step.refreshes) costs.add_refresh(faces, parts);
            const double compute = pass.steps * parts[Part::compute];
            parts[Part::bandwidth] += pass.beyond(compute, c.cuda) / pass.steps;
            parts[Part::host] += step.calls * (costs.answer() + c.launch) + costs.load().looks * costs.look();
            return parts;
          }};
}

constexpr std::array<ExecutorModel, kExecutors.size()> kModels = {
    {{ExecutorKind::eager, Begun::by_host, eager},
     {ExecutorKind::overlapped, Begun::by_host, overlapped},
     {ExecutorKind::graph, Begun::by_graph, graph},
     {ExecutorKind::blocked, Begun::by_host, blocked},
     {ExecutorKind::resident, Begun::by_itself, resident},
     {ExecutorKind::streamed, Begun::by_host, streamed}}};
static_assert(one_each(kExecutors) && one_each(kModels));

} // namespace

const ExecutorModel& model_of(const std::string& executor) {
  for (const ExecutorModel& model : kModels)
    if (executor == row_of(model.kind).name) return model;
  throw Error("the model knows no executor '" + executor + "'",
              fmt::format("use {}", fmt::join(executor_names(), ", ")));
}

} // namespace tasuki
