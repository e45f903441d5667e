// How the ranks of one node evaluate a reduction together during their steps, through shared memory.
#pragma once

#include <tasuki/device/buffer.hpp>
#include <tasuki/device/signal/signal.hpp>
#include <tasuki/model/description.hpp>
#include <tasuki/run/run.hpp>

#include <limits>
#include <vector>

namespace tasuki {

// How the run evaluates `until`, in the form that predictions use.
Looks looks_of(const Program& program, const Until& until);

// Evaluates `until` after each step, by one thread of every rank. The result equals until.reached(), at the
// same step on all ranks.
class Look {
public:
  // True on a host device, if all ranks are on one node and `until` compares a reduction that no one is told.
  static bool possible(const Device& device, const Until& until);
  // True if, in addition, the program has no calls: otherwise steps are done in two ways, and the run evaluates it.
  static bool possible(const Program& program, const Until& until);

  // Collective.
  Look(Device& device, const Until& until);

  // To be called after each step; `ends`: it is the run's last. May block until the other ranks have come as far.
  void after(long step, bool ends);
  // The step after which the run ends, if one is known.
  long end() const { return end_; }
  bool reached() const { return end_ != kNever; }
  // The last step that will certainly be done whatever looks find, when `step` is about to start.
  long sure(long step) const;

private:
  static constexpr long kNever = std::numeric_limits<long>::max();
  void publish(long step);
  void decide();

  Device& device_;
  Until until_;
  long place_bytes_;
  SharedBuffer board_;
  std::vector<char*> rooms_;           // by rank: its flag, then a part for even and a part for odd looks
  std::vector<Awaited> others_;        // their flags
  std::vector<char> parts_;            // of all ranks, in the order of ranks
  Flag turn_ = 0;                      // counts looks
  long asked_ = kNever, end_ = kNever; // asked_: the step of a look that is not yet decided
};

} // namespace tasuki
