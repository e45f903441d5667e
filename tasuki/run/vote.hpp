// How the ranks of a run agree to stop after the same step when some of them have received a signal.
#pragma once

#include <tasuki/base/world.hpp>

namespace tasuki {

// Called between two stretches of steps, the same on all ranks. A launcher that is told to end gives ranks a second.
//
// On one host the decision is immediate, and costs a store and a load per stretch: each rank publishes the number of
// the stretch that it begins. The first rank with a signal reads these numbers, and all ranks stop after the highest. A
// rank that begins a stretch later sees the request first. So no rank goes beyond that stretch, or waits for a step.
//
// Ranks of several hosts vote about fifty times a second, or after every step if steps are longer. Each vote starts a
// nonblocking reduction, whose result is read at the next vote; so a rank waits only for ranks more than a vote behind.
class Vote {
public:
  explicit Vote(World& world);
  ~Vote();

  // Called before each stretch but the first, with the seconds of the run so far and the steps of the previous stretch.
  // True, on all ranks at the same step, if a rank has received a signal.
  bool stop(double seconds, long steps);

  // The same within a stretch, in a step that all ranks do. Only on one host; otherwise false.
  bool stop_in_step() { return world_.host_count() == 1 && stop_on_host(); }

  // The most steps of the next stretch: with more, a rank would react to a signal much later than after one interval.
  long most_steps() const { return known_ ? 2 * interval_ : kMost; }

private:
  static constexpr long kMost = 1L << 20;

  bool stop_on_host();
  bool stop_on_hosts(double seconds, long steps);
  void pace(double seconds_a_step);

  World& world_;
  long& turn_;                            // stretches of this world so far
  long steps_to_look_ = 1, interval_ = 1; // the first votes are frequent, for programs with steps of seconds
  long steps_ = 0;                        // since the last vote
  double last_look_ = 0;
  bool pending_ = false;
  bool known_ = false; // the time of a step is known
  MPI_Request request_ = MPI_REQUEST_NULL;
  double mine_[2] = {},
         all_[2] = {}; // received a signal; seconds per step since the last vote: maxima over ranks
};

} // namespace tasuki
