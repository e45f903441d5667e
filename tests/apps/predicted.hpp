// What the model predicts that a program sends and computes, held against what a run counts and what the planner
// has each rank do: exactly.
#pragma once

#include <tasuki/model/workload.hpp>
#include <tasuki/run/run.hpp>
#include <tests/planned.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

namespace tasuki::test {

// Whether this world's halos go by one message a neighbour, which is what the model counts: not where a neighbour gets
// them by two channels, nor from a GPU's kernel that stays, which trades them by itself.
inline bool sends_by_exchanges(World& world) {
  const Settings& s = world.settings();
  return s.channel.find('=') == std::string::npos &&
         !(world.part<Device>().cuda() && s.executor == "resident");
}

// Runs `fill` steps, in which halos come to be as they stay, and then `period` steps, over which what happens repeats.
inline void expect_predicted(const Items& step, long fill, long period) {
  const Program whole = program(step);
  run(whole, {.times = fill});
  const RunReport report = run(whole, {.times = period});
  double bytes = 0, messages = 0;
  for (const auto& [name, use] : report.channels) {
    bytes += static_cast<double>(use.bytes);
    messages += static_cast<double>(use.messages);
  }
  double predicted_bytes = 0, predicted_messages = 0;
  const GridCore& grid = whole.grid();
  for (int rank = 0; rank < grid.world().size(); ++rank) {
    const Workload load =
        workload_of(rank, describe(whole), grid.cut(), grid.device().cuda() ? Padding::gpu : Padding::cpu);
    predicted_bytes += static_cast<double>(period) * (load.sent(true) + load.sent(false));
    predicted_messages += static_cast<double>(period) * load.messages();
  }
  EXPECT_DOUBLE_EQ(predicted_bytes, bytes);
  EXPECT_DOUBLE_EQ(predicted_messages, messages);
  const Sums plan = planned(whole, fill, fill + period);
  const Sums model = modelled(workload_of(grid.world().rank(), describe(whole), grid.cut()));
  EXPECT_DOUBLE_EQ(model.cells, plan.cells);
  EXPECT_DOUBLE_EQ(model.interior, plan.interior);
  EXPECT_DOUBLE_EQ(model.rim, plan.rim);
}

} // namespace tasuki::test
