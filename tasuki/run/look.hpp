// How the ranks of one node look at a reduction together without leaving their steps: through memory that they share.
#pragma once

#include <tasuki/device/buffer.hpp>
#include <tasuki/device/signal/signal.hpp>
#include <tasuki/model/description.hpp>
#include <tasuki/run/run.hpp>

#include <limits>
#include <vector>

namespace tasuki {

// How such a run looks, as predictions want to know it.
Looks looks_of(const Program& program, const Until& until);

// `until` of a run, looked at by one thread of every rank after each step. Comes to what until.reached() says, at the
// same step on all ranks.
class Look {
public:
  // Whether it can: a host device, all ranks on one node, and a reduction to compare ..
  static bool possible(const Device& device, const Until& until);
  // .. and no calls: steps are done in two ways then, and the run looks.
  static bool possible(const Program& program, const Until& until);

  // Collective.
  Look(Device& device, const Until& until);

  // After a step; `ends`: the run has no more of them. May wait for the other ranks.
  void after(long step, bool ends);
  // The step after which the run ends, if one is known.
  long end() const { return end_; }
  bool reached() const { return end_ != kNever; }
  // The last step that is done whatever the looks say, once `step` is about to begin.
  long sure(long step) const;

private:
  static constexpr long kNever = std::numeric_limits<long>::max();
  void publish(long step);
  void decide();

  Device& device_;
  Until until_;
  long place_bytes_;
  SharedBuffer board_;
  std::vector<char*> rooms_;           // by rank: its flag, then a place for even and one for odd looks
  std::vector<Awaited> others_;        // their flags
  std::vector<char> parts_;            // of all ranks, in their order
  Flag turn_ = 0;                      // looks
  long asked_ = kNever, end_ = kNever; // the step of a look that is not decided
};

} // namespace tasuki
