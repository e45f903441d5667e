// The host's look at a reduction. Where the verdict may come some steps late, the host reads the value, and hears of the other
// ranks', while the device does the next steps.
//
//   HostLook look(device, until.reduction);
//   look.ask(7);                      // after step 7 has been enqueued: notes the value that it leaves
//   .. step 8 ..
//   if (look.decide(until)) ..        // of step 7, equal to what until.reached() would have said then
#pragma once

#include <tasuki/device/buffer.hpp>
#include <tasuki/device/device.hpp>
#include <tasuki/device/engine.hpp>
#include <tasuki/run/run.hpp>

#include <array>
#include <memory>
#include <optional>

namespace tasuki {

// The last step that may be enqueued after `done` steps, of `end`, before a look: the next step after which one is due, or
// the one by which the look before has to be decided.
long next_stop(const Until& until, long done, long end);

class HostLook {
public:
  static bool possible(const Until& until); // it compares a reduction

  HostLook(Device& device, std::shared_ptr<detail::ReductionCore> reduction);
  ~HostLook();
  HostLook(const HostLook&) = delete;
  HostLook& operator=(const HostLook&) = delete;

  // Notes this rank's part of the value as of the steps enqueued so far. Throws Error if no sweep has filled the reduction.
  void ask(long step);
  std::optional<long> asked() const { return asked_[0]; } // the earliest step that is not decided
  // Whether the value of that step ends the run. Waits for that step. Collective.
  bool decide(const Until& until);

private:
  struct Note {
    Buffer part; // pinned
    Event done;
  };
  struct Spare; // notes of looks that have ended, for the next run: pinned memory takes its time
  Device& device_;
  const std::shared_ptr<detail::ReductionCore> reduction_;
  const std::shared_ptr<Spare> spare_;
  std::array<std::unique_ptr<Note>, 2> notes_;
  std::array<EngineCopies, 2> copies_;       // kernels of another host do not reach pinned memory
  std::size_t first_ = 0;                    // the note of the earliest
  std::array<std::optional<long>, 2> asked_; // in order
};

} // namespace tasuki
