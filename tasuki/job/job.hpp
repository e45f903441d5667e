// What every program does around its time steps: restart, checkpoints, snapshot, record.
#pragma once

#include <tasuki/file/record.hpp>
#include <tasuki/job/command_line.hpp>
#include <tasuki/job/outputs.hpp>
#include <tasuki/tasuki.hpp>

#include <memory>
#include <vector>

namespace tasuki::job {

// A step of a program, and the results that outlive the run.
struct Steps {
  Items step;
  std::vector<std::shared_ptr<FieldCore>>
      state; // what a checkpoint holds; the first of them is what is shown
  Progress progress = {};
  Until until = {};
  long done = 0; // steps that were done before (a rehearsal), unless a checkpoint tells
};

class Job {
public:
  // Throws Error where a file is asked for that this build cannot write, that nobody can (refuse_output()), or that
  // another run writes. Collective.
  Job(World& world, const CommandLine& line);

  Values options; // the program's own, for the record
  std::map<std::string, double>
      fixed; // what else than the fields a restart must share: boundary conditions ..

  long times() const { return common_.times; } // the number of the last step
  void set_times(long times) { common_.times = times; }

  // Goes on from the checkpoint if one is given, does the steps, and writes checkpoint and snapshot. The
  // fields have to hold their first values. Collective.
  RunReport run(const Steps& steps);
  bool last_step_done() const { return last_step_done_; } // the run came to --times, or to its `until`
  long step() const { return step_; }

  // Prints the run in a line and writes the record. Collective.
  void finish(const RunReport& report, const Merit& merit, Values results);

private:
  long restore(const std::vector<std::shared_ptr<FieldCore>>& state) const;
  void save(const std::string& path, const char* kind, const std::vector<const FieldCore*>& fields,
            long step) const;

  World& world_;
  std::string program_;
  CommonOptions common_;
  std::unique_ptr<Outputs> outputs_;
  std::vector<std::shared_ptr<FieldCore>> state_;
  long step_ = 0, saved_ = -1;
  bool last_step_done_ = false;
};

} // namespace tasuki::job
