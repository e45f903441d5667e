// What the planner has a rank do, and what the model thinks that it does, added up for comparison.
#pragma once

#include <tasuki/model/workload.hpp>
#include <tasuki/program/plan.hpp>

#include <variant>
#include <vector>

namespace tasuki::test {

// What a rank does in a step, on average.
struct Sums {
  double cells = 0, interior = 0, rim = 0, sent = 0, to_itself = 0;
};

// This rank's steps from + 1 .. to, planned and not run. Collective; fields are swapped as the steps swap them.
inline Sums planned(const Program& program, long from, long to) {
  Sums sums;
  PlannedStep* last = nullptr;
  const int me = program.grid().world().rank();
  const auto count = [](const std::vector<Box>& boxes) {
    double cells = 0;
    for (const Box& box : boxes) cells += static_cast<double>(box.cells());
    return cells;
  };
  for (long s = 1; s <= to; ++s) {
    last = &program.planner().step(s, last);
    for (const PlannedOp& op : last->ops) {
      const auto* sweep = std::get_if<PlannedSweep>(&op);
      const auto* refresh = std::get_if<PlannedRefresh>(&op);
      const std::vector<HaloNeed> needs = sweep     ? sweep->needs
                                          : refresh ? refresh->needs
                                                    : std::vector<HaloNeed>{};
      if (!needs.empty() && s > from)
        for (const Face& face : program.planner().exchange_for(needs)->faces())
          (face.to == me ? sums.to_itself : sums.sent) += static_cast<double>(face.bytes);
      else if (!needs.empty())
        program.planner().exchange_for(needs); // collective: all ranks or none
      if (!sweep || s <= from) continue;
      sums.cells += count(sweep->boxes);
      sums.interior += count(needs.empty() ? sweep->boxes : sweep->interior);
      sums.rim += count(sweep->rim);
    }
    for (const PlannedOp& op : last->ops)
      if (const auto* swap = std::get_if<Swap>(&op)) swap->a->swap(*swap->b);
  }
  const double steps = static_cast<double>(to - from);
  return {sums.cells / steps, sums.interior / steps, sums.rim / steps, sums.sent / steps,
          sums.to_itself / steps};
}

inline Sums modelled(const Workload& load) {
  Sums sums{.cells = load.cells(), .sent = load.sent(false), .to_itself = load.sent(true)};
  sums.interior = load.mean([](const StepLoad& step) {
    double cells = 0;
    for (const SweepLoad& sweep : step.sweeps) cells += static_cast<double>(sweep.interior_cells);
    return cells;
  });
  sums.rim = load.mean([](const StepLoad& step) {
    double cells = 0;
    for (const SweepLoad& sweep : step.sweeps) cells += static_cast<double>(sweep.rim_cells);
    return cells;
  });
  return sums;
}

} // namespace tasuki::test
