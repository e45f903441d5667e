// Whether a program that was compiled with --check is looked at while it runs, and the time in it. Internal.
//
//     #pragma xmp barrier     ->  come_together("a.c:9:9", "barrier", ranks): all of them are at this barrier
//
// Time is counted in statements that all ranks do, so that what two ranks did can be put in order afterwards.
#pragma once

#include "run_time.hpp"

#include <tasuki/base/ranks.hpp>

#include <optional>

namespace tasuki::xmp {

// Whether this run is looked at, and the time in it.
class Checking {
public:
  explicit Checking(World&) {}
  bool on = false;

  long now() const { return time_; }
  void
  tick() { // a statement that all executing ranks do; in a loop that is shared out each has turns of its own
    if (loops_ == 0) ++time_;
  }
  void loop(bool begins) {
    tick();
    loops_ += begins ? 1 : -1;
  }
  long task_begin(); // the time at which a task begins, by its ranks and by those that pass it
  void task_end(long begun);
  void pass(long time) { time_ = time; }

private:
  long time_ = 0;
  int loops_ = 0;
};

// All of these ranks come to one directive, in one place. Does nothing where nothing is looked at.
void come_together(const char* where, const char* directive, const std::optional<Ranks>& ranks);

} // namespace tasuki::xmp
