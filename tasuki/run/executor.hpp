// How the steps of a program are executed. Each executor is one source file.
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

constexpr long kFewSteps = 4; // in fewer steps, the setup of an executor does not pay off

// The last step done, the same on every rank, and whether `until` ended the run there.
struct Advance {
  long done = 0;
  bool reached = false;
};

class Executor {
public:
  virtual ~Executor() = default;
  virtual const char* name() const = 0;
  // Does all setup that is possible before time is measured. Collective.
  virtual void prepare(Walk& walk, long first, long last) { walk.prepare(first, last); }
  // True if advance() evaluates `until` itself, on the device: then the run does not.
  virtual bool judges(const Until&) const { return false; }
  // Does some of the steps first to last, at least the first. Enqueues work; blocks only to limit how far the host is
  // ahead of a GPU, to some tenths of a second. Collective.
  virtual Advance advance(Walk& walk, long first, long last) = 0;
  // Another executor has done the steps until now: cached state of the fields is no longer valid.
  virtual void take_over() {}
  // The least number of steps of a stretch, even though a request to stop takes effect only after it.
  virtual long together() const { return 1; }
  // Bytes copied to the device and back; only for streamed.
  virtual StreamUse streamed() const { return {}; }
  // Seconds that advance() has spent on what it does once, in which the device had nothing to do: no part of a step's time.
  virtual double once() const { return 0; }
  // Seconds per step of the executors that were tried, by name; only for auto.
  virtual std::map<std::string, double> tried() const { return {}; }
};

// An executor that does one step after another as planned, one sweep with its exchange at a time.
class StepExecutor : public Executor {
public:
  Advance advance(Walk& walk, long first, long) override;
  // `planned.exchange` is set if something has to be exchanged.
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
                                       const Until& until); // several steps per pass over memory
std::unique_ptr<Executor> make_streamed(const Program& program, const Until& until); // slabs of host memory

// Why an executor cannot run this program here, or an empty string. The same on every rank.
std::string trouble_with_graph(const Program& program);
std::string trouble_with_resident(const Program& program);
std::string trouble_with_blocked(const Program& program);
std::string trouble_with_streamed(const Program& program);

// A row of the table of executors (tasuki/base/executors.hpp).
struct Candidate {
  ExecutorKind kind;
  std::string (*trouble_here)(const Program& program); // on a kind of device that it supports
  std::unique_ptr<Executor> (*make)(const Program& program, const Until& until);

  std::string name() const { return row_of(kind).name; }
  std::string trouble(const Program& program) const;
};
using ExecutorTable = std::array<Candidate, kExecutors.size()>;

// Selects the executor of the table that is the fastest here. Collective.
std::unique_ptr<Executor> make_auto(const Program& program, const Until& until, long times,
                                    const ExecutorTable& table);

// The executor that the world's settings select. Throws Error with the reason if that executor cannot run
// this program here. Collective.
std::unique_ptr<Executor> make_executor(const Program& program, const Until& until, long times);

} // namespace tasuki
