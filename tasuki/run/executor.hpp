// How the steps of a program are done. An executor is a file.
#pragma once

#include <tasuki/base/executors.hpp>
#include <tasuki/run/ahead.hpp>
#include <tasuki/run/phases.hpp>
#include <tasuki/run/walk.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tasuki {

struct Until;

constexpr long kFewSteps = 4; // a run or a stretch of fewer is over before what is made for it has paid

// The last step that was done, the same on every rank, and whether `until` ended the run there.
struct Advance {
  long done = 0;
  bool reached = false;
};

class Executor {
public:
  virtual ~Executor() = default;
  virtual const char* name() const = 0;
  // Settles what can be settled before the clock starts. Collective.
  virtual void prepare(Walk& walk, long first, long last) { walk.prepare(first, last); }
  // True where advance() looks at `until` by itself, on the device: the run then does not.
  virtual bool judges(const Until&) const { return false; }
  // Does some of the steps first to last, the first at least. Enqueues; waits for a GPU only so that it is not some
  // tenths of a second ahead of it. Collective.
  virtual Advance advance(Walk& walk, long first, long last) = 0;
  // Another executor has done the steps until now: what was known of the fields no longer holds.
  virtual void take_over() {}
  // Steps that a stretch should have at least, though a rank that is told to stop hears of it behind them.
  virtual long together() const { return 1; }
  // Bytes that it has brought to the device and taken back; streamed alone.
  virtual StreamUse streamed() const { return {}; }
  // Seconds a step of the executors that were tried, by name; auto alone.
  virtual std::map<std::string, double> tried() const { return {}; }
};

// One that does a step after another, as they are planned, a sweep and its exchange at a time.
class StepExecutor : public Executor {
public:
  Advance advance(Walk& walk, long first, long) override;
  // `planned.exchange` is there if anything has to be exchanged.
  virtual void sweep(const PlannedSweep& planned, Phases& phases) = 0;

private:
  std::unique_ptr<Ahead> ahead_;
};

std::unique_ptr<StepExecutor> make_eager(Device& device);
std::unique_ptr<StepExecutor> make_overlapped(Device& device);
std::unique_ptr<Executor> make_graph(const Program& program, const Until& until);
std::unique_ptr<Executor> make_resident(const Program& program, const Until& until); // a kernel that stays
std::unique_ptr<Executor> make_resident_host(const Program& program, const Until& until); // threads that stay
std::unique_ptr<Executor> make_blocked(const Program& program,
                                       const Until& until); // several steps a pass over memory
std::unique_ptr<Executor> make_streamed(const Program& program, const Until& until); // slabs of host memory

// Whether some of its fields lie in host memory, as their device has no room: streamed is for those.
bool lies_outside(const Program& program);

// Why an executor cannot do this program here, or nothing. The same on every rank.
std::string trouble_with_graph(const Program& program);
std::string trouble_with_resident(const Program& program);
std::string trouble_with_blocked(const Program& program);
std::string trouble_with_streamed(const Program& program);

// A row of the table of executors (tasuki/base/executors.hpp).
struct Candidate {
  ExecutorKind kind;
  std::string (*trouble_here)(const Program& program); // on a device that it is for
  std::unique_ptr<Executor> (*make)(const Program& program, const Until& until);

  std::string name() const { return row_of(kind).name; }
  std::string trouble(const Program& program) const;
};
using ExecutorTable = std::array<Candidate, kExecutors.size()>;

// Of the table, the one that is fastest here. Collective.
std::unique_ptr<Executor> make_auto(const Program& program, const Until& until, long times,
                                    const ExecutorTable& table);

// The executor that the world's settings ask for. Throws Error, with the reason, where that executor cannot do
// this program here. Collective.
std::unique_ptr<Executor> make_executor(const Program& program, const Until& until, long times);

} // namespace tasuki
