// What the threads that stay walk through (run/resident_host.cpp): steps worked out before, sweeps bound to memories, exchanges
// set up, and how often the whole comes round again.
//   Script& script = scripts.from(walk, 1, 1000);
//   for (long number = 1; number <= 1000 && script.knows(number); ++number) do(script.at(number));
#pragma once

#include <tasuki/device/team.hpp>
#include <tasuki/run/walk.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace tasuki {

// A halo that no sweep touches from here on, until it is exchanged some steps later.
struct Free {
  Exchange* exchange;
  long steps;
};

// An exchange, then a sweep, one of which may be missing; or a settlement.
struct ScriptOp {
  Exchange* exchange = nullptr;
  bool shared = false; // all threads do the exchange's copies
  HostTask* task = nullptr;
  const SettleCore* settlement = nullptr; // what thread 0 does alone
  const char* name = "an exchange";       // of what it does
  std::vector<Free> frees;                // once this is done
  std::set<int> halos;                    // memories whose halos it touches
  std::set<int> received;                 // memories whose halos the exchange fills
  long times = 0;                         // done since it was last counted
};

struct ScriptStep {
  const PlannedStep* planned;
  std::vector<ScriptOp> ops;
};

// Steps from number `first` on; those from `loop` on come round for ever, if there is a loop.
struct Script {
  long first = 0;
  long loop = -1;
  int threads = 1; // that have something to do
  std::vector<ScriptStep> steps;

  long size() const { return static_cast<long>(steps.size()); }
  bool knows(long number) const { return number >= first && (loop >= 0 || number < first + size()); }
  long index(long number) const {
    const long at = number - first;
    return at < size() ? at : loop + (at - loop) % (size() - loop);
  }
  ScriptStep& at(long number) { return steps[static_cast<std::size_t>(index(number))]; }
  // How many steps ahead a halo is freed.
  long ahead() const;
  // Numbers up to which all steps that are done from first to last have been met once.
  long once(long first, long last) const { return std::min(last, first + size() - 1); }
};

// The scripts of a program, kept by their first steps: after a call it often goes on as it did after the one before.
class Scripts {
public:
  static constexpr long kLongest = 8192; // steps

  Scripts(const Program& program, const Team& team);

  // That of the steps from `first` on, until they come round or up to one with a call, or `last`: it knows none then. The
  // fields are as they were. Collective.
  Script& from(Walk& walk, long first, long last);

private:
  Script written(Walk& walk, long first, long last);
  ScriptStep step_of(Walk& walk, const PlannedStep& planned);

  const Team& team_;
  long period_ = 1; // of which items take part; more than is kept track of: none
  using Place = std::pair<const PlannedStep*, long>; // a step and where it stands in the period
  std::map<Place, Script> scripts_;
  std::map<const PlannedStep*, std::vector<std::unique_ptr<HostTask>>> tasks_; // bound to the step's memories
};

} // namespace tasuki
