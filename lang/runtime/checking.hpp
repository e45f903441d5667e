// The state of the run-time checks of --check: whether they are enabled, and a logical time. Internal.
//
//     #pragma xmp barrier     ->  come_together("a.c:9:9", "barrier", ranks): all of them must be at this barrier
//
// The time counts the statements that all ranks execute, so that actions of different ranks can be ordered later.
#pragma once

#include "run_time.hpp"

#include <tasuki/base/ranks.hpp>

#include <optional>

namespace tasuki::xmp {

// Whether the checks are enabled in this run, and the logical time.
class Checking {
public:
  explicit Checking(World&) {}
  bool on = false;

  long now() const { return time_; }
  void
  tick() { // counts a statement that all executing ranks do; in a distributed loop the numbers would differ
    if (loops_ == 0) ++time_;
  }
  void loop(bool begins) {
    tick();
    loops_ += begins ? 1 : -1;
  }
  long task_begin(); // the time at which a task begins, for its ranks and for those that skip it
  void task_end(long begun);
  void pass(long time) { time_ = time; }

private:
  long time_ = 0;
  int loops_ = 0;
};

// Checks that all of these ranks reach the same directive at the same place. Without checks it does nothing.
void come_together(const char* where, const char* directive, const std::optional<Ranks>& ranks);

} // namespace tasuki::xmp
