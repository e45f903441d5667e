// How the ranks of a run agree to stop at the same step when a signal reaches some of them.
#pragma once

#include <tasuki/base/world.hpp>

namespace tasuki {

// Looked at every so many steps, about five times a second: each look takes the answer of a vote that was begun at
// the look before, so no rank waits for another that is less than a look behind.
class Vote {
public:
  explicit Vote(World& world) : world_(world) {}
  ~Vote();

  // After some steps, as many on all ranks, with the seconds of the run so far. True, on all ranks at the same step, if
  // one was told to stop.
  bool stop(double seconds, long steps);
  bool looked() const { return looked_; } // whether the last stop() was a look

private:
  World& world_;
  long steps_to_look_ = 1, interval_ = 1; // the first looks are close, for programs of seconds a step
  double last_look_ = 0;
  bool looked_ = false, pending_ = false;
  MPI_Request request_ = MPI_REQUEST_NULL;
  double mine_[2] = {}, all_[2] = {}; // told to stop, seconds since the last look: the largest of all ranks
};

} // namespace tasuki
