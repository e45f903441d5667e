// The work of persistent threads (run/resident_host.cpp), prepared in advance: steps with sweeps bound to memories and
// exchanges set up, and the period with which the steps repeat.
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

// A halo that no sweep uses from now on, until it is exchanged `steps` steps later.
struct Free {
  Exchange* exchange;
  long steps;
};

// An exchange, then a sweep, one of which may be missing; or a settlement; or the synchronisation of fields.
struct ScriptOp {
  Exchange* exchange = nullptr;
  bool shared = false; // all threads do the exchange's copies
  HostTask* task = nullptr;
  const SettleCore* settlement = nullptr; // what thread 0 does alone
  std::vector<CommonMemory*> syncs;       // likewise
  const char* name = "an exchange";       // of what it does
  std::vector<Free> frees;                // once this is done
  std::set<int> halos;                    // memories whose halos it touches
  std::set<int> received;                 // memories whose halos the exchange fills
  long times = 0;                         // done since it was last counted
};

// A call of the host ends what is arranged at once.
bool has_call(const PlannedStep& step);

struct ScriptStep {
  const PlannedStep* planned;
  std::vector<ScriptOp> ops;
};

// Steps from number `first` on; those from index `loop` on repeat forever, if loop >= 0.
struct Script {
  long first = 0;
  long loop = -1;
  int threads = 1; // threads that have work
  std::vector<ScriptStep> steps;

  long size() const { return static_cast<long>(steps.size()); }
  bool knows(long number) const { return number >= first && (loop >= 0 || number < first + size()); }
  long index(long number) const {
    const long at = number - first;
    return at < size() ? at : loop + (at - loop) % (size() - loop);
  }
  ScriptStep& at(long number) { return steps[static_cast<std::size_t>(index(number))]; }
  // The largest number of steps by which a halo is freed ahead.
  long ahead() const;
  // The number up to which every step between first and last has occurred once.
  long once(long first, long last) const { return std::min(last, first + size() - 1); }
};

// The scripts of a program, by first steps: after a call, a program often repeats the steps after the previous call.
class Scripts {
public:
  static constexpr long kLongest = 8192; // steps

  Scripts(const Program& program, const Team& team);

  // The script of the steps from `first` on, until they repeat, or up to a step with a call, or up to `last`. Empty if
  // step `first` has a call. The fields are unchanged. Collective.
  Script& from(Walk& walk, long first, long last);

private:
  Script written(Walk& walk, long first, long last);
  ScriptStep step_of(Walk& walk, const PlannedStep& planned);

  const Team& team_;
  long period_ = 1; // period of the set of active items; 0: longer than the limit
  using Place = std::pair<const PlannedStep*, long>; // a step and its position in the period
  std::map<Place, Script> scripts_;
  std::map<const PlannedStep*, std::vector<std::unique_ptr<HostTask>>> tasks_; // bound to the step's memories
};

} // namespace tasuki
