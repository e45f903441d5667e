// The report of a run: its time, per-phase times and traffic. It is the same on every rank.
//
//   const ts::Program steps = ts::program(ts::sweep(Relax{}, grid.inner(1), ts::reads(u, ts::star(1)), ts::writes(v)));
//   const ts::RunReport report = ts::run(steps, {.times = 1000});
//   if (world.rank() == 0)
//     std::printf("%s: %.3g s per step\n", report.executor.c_str(), report.seconds / static_cast<double>(report.steps));
#pragma once

#include <map>
#include <string>

namespace tasuki {

// What went by one channel during the run.
struct ChannelUse {
  long bytes = 0;    // sent by all ranks
  long messages = 0; // by all ranks; copies within a rank count as one per exchange
};

// Bytes between host and device memory.
struct StreamUse {
  long brought = 0, taken = 0;
};

// The result of run(); times in seconds.
struct RunReport {
  std::string executor;
  std::map<std::string, double> tried;        // seconds per step of the executors that auto tried, by name
  long steps = 0;                             // done by this run
  double seconds = 0;                         // from all ranks ready, exchanges set up, to all ranks done
  bool interrupted = false;                   // a signal ended it early, at the same step on all ranks
  bool reached = false;                       // `until` ended it
  std::map<std::string, double> phases;       // seconds by phase, of the slowest rank in each
  std::map<std::string, ChannelUse> channels; // by name
  StreamUse streamed;                         // bytes of all ranks; only with the executor streamed
};

} // namespace tasuki
