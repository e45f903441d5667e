// A job does the common work around the time steps of a program: restart, checkpoints, snapshot, record.
//
//   ts::job::CommandLine line("heat", "heat on a plate", 1000); // 1000: the default of --times
//   ts::World world(argc, argv, line.parse(argc, argv));
//   ts::job::Job job(world, line);
//   const auto relax = ts::sweep(Relax{}, grid.inner(1), ts::reads(u, ts::star(1)), ts::writes(v));
//   const ts::RunReport report = job.run({.step = ts::Items{} + ts::items(relax) + ts::items(ts::swap(u, v)), .state = {u}});
//   job.finish(report, {"step/s", static_cast<double>(report.steps) / report.seconds}, {});
#pragma once

#include <tasuki/file/record.hpp>
#include <tasuki/job/command_line.hpp>
#include <tasuki/job/outputs.hpp>
#include <tasuki/tasuki.hpp>

#include <memory>
#include <vector>

namespace tasuki::job {

// The time step of a program, and the fields that are its result.
struct Steps {
  Items step;
  std::vector<AnyField> state; // the fields of a checkpoint; the snapshot's field is the first
  Progress progress = {};
  Until until = {};
  Monitor monitor = {};
  long done = 0; // number of steps done before (a rehearsal); a restart takes it from its checkpoint
};

class Job {
public:
  // Throws Error if an output file cannot be written, by this build or
  // at all (refuse_output()), or if another run writes it. Collective.
  Job(World& world, const CommandLine& line);

  Values options; // the program's own, for the record
  std::map<std::string, double>
      fixed; // in addition to the fields, must be the same after a restart: boundary conditions ..

  long times() const { return common_.times; } // the number of the last step
  void set_times(long times) { common_.times = times; }

  // Continues from the checkpoint if one is given, executes the steps, and writes
  // checkpoint and snapshot. The fields must have their initial values. Collective.
  RunReport run(const Steps& steps);
  bool last_step_done() const { return last_step_done_; } // the run reached --times, or its `until`
  long step() const { return step_; }

  // Prints the lines about the run on rank 0, and writes the record if --record is given. Throws Error as write_record(). Collective.
  void finish(const RunReport& report, const Merit& merit, Values results);

private:
  long restore() const;
  void save(const std::string& path, const char* kind, const std::vector<AnyField>& fields, long step) const;

  World& world_;
  std::string program_;
  CommonOptions common_;
  std::unique_ptr<Outputs> outputs_;
  std::vector<AnyField> state_;
  long step_ = 0, saved_ = -1;
  bool last_step_done_ = false;
};

} // namespace tasuki::job
