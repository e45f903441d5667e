// The host's looks at a reduction, while the device does the next steps: where the verdict of `until` may come some steps late,
// and for a monitor.
//
//   HostLook look(device, until);
//   look.ask(7);                             // after step 7 has been enqueued: notes the value that it leaves
//   .. step 8 ..
//   if (const auto step = look.decide(8, 8)) ..   // of the looks before 8: the first that ends the run
#pragma once

#include <tasuki/device/buffer.hpp>
#include <tasuki/device/device.hpp>
#include <tasuki/device/engine.hpp>
#include <tasuki/run/run.hpp>

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace tasuki {

// The last step that may be enqueued after `done` steps, of `end`, before a look: the next step after which one is due, or
// the one by which the look before has to be decided.
long next_stop(const Until& until, long done, long end);

class HostLook {
public:
  static bool possible(const Until& until); // it compares a reduction, or tells it

  // `until` must outlive the looks.
  HostLook(Device& device, const Until& until);
  ~HostLook();
  HostLook(const HostLook&) = delete;
  HostLook& operator=(const HostLook&) = delete;

  // Notes this rank's part of the value as of the steps enqueued so far. Throws Error if no sweep has filled the reduction.
  void ask(long step);
  std::optional<long> asked() const; // the earliest step that is not decided

  // Decides the looks that may not wait beyond `done` steps, and those before `latest`: the verdicts are those that
  // until.reached() would have given then. Returns the first step that ends the run, if there is one. Looks that are
  // told alone wait for others, so that ranks talk once about many, but not for longer than a tenth of a second; with
  // `all` they do not. Collective.
  std::optional<long> decide(long done, long latest, bool all = false);

private:
  struct Note {
    Buffer part; // pinned
    Event done;
  };
  struct Spare; // notes of looks that have ended, for the next run: pinned memory takes its time
  struct Place {
    std::unique_ptr<Note> note;
    EngineCopies copy; // kernels of another host do not reach pinned memory
  };
  Place& place_of(std::size_t look);
  void pace(std::size_t decided);

  Device& device_;
  const Until& until_;
  const std::shared_ptr<Spare> spare_;
  std::vector<Place> places_; // a ring
  std::size_t first_ = 0;     // the place of the earliest
  std::deque<long> asked_;    // in order
  std::size_t together_ = 1;  // looks that are told at once
  std::chrono::steady_clock::time_point paced_;
};

} // namespace tasuki
