// How the ranks of a run agree to stop at the same step when a signal reaches some of them.
#pragma once

#include <tasuki/base/world.hpp>

namespace tasuki {

// Asked between two stretches of steps, the same on all ranks. A launcher that was told to end gives its ranks a second.
//
// On one host at once, and for a store and a load a stretch: each rank writes down which stretch it begins, and the first
// that finds itself told reads how far the others are. A rank that wrote before has its stretch counted, and one that comes later
// sees that somebody asks, so all stop behind the last stretch that any of them had begun. Nobody waits for a step.
//
// Ranks of several hosts vote about fifty times a second, or after every step, by a reduction that each look takes the
// answer of which was begun at the look before; so no rank waits for another that is less than a look behind.
class Vote {
public:
  explicit Vote(World& world);
  ~Vote();

  // Before the next stretch but the first, with the seconds of the run so far and the steps of the stretch before.
  // True, on all ranks at the same step, if one was told to stop.
  bool stop(double seconds, long steps);

  // The same within a stretch, in a step that all ranks do: on one host alone, else false.
  bool stop_in_step() { return world_.host_count() == 1 && stop_on_host(); }

  // The steps that the next stretch may have: more would keep a rank from hearing for much longer than a look.
  long most_steps() const { return known_ ? 2 * interval_ : kMost; }

private:
  static constexpr long kMost = 1L << 20;

  bool stop_on_host();
  bool stop_on_hosts(double seconds, long steps);
  void pace(double seconds_a_step);

  World& world_;
  long& turn_;                            // stretches of this world so far
  long steps_to_look_ = 1, interval_ = 1; // the first looks are close, for programs of seconds a step
  long steps_ = 0;                        // since the last look
  double last_look_ = 0;
  bool pending_ = false;
  bool known_ = false; // how long a step takes
  MPI_Request request_ = MPI_REQUEST_NULL;
  double mine_[2] = {},
         all_[2] = {}; // told to stop, seconds a step since the last look: the most of all ranks
};

} // namespace tasuki
