// Which of several ways to do the same steps is the fastest, tried one after another on steps that have to be done anyway.
//   Trials trials(3, 64);
//   while (!trials.over()) { do trials.want() steps in way trials.at(); trials.done(seconds a step); }
//   use way trials.at();
#pragma once

#include <cstddef>
#include <vector>

namespace tasuki {

// Each way has a piece that warms it up, a short one that is timed, and the rest; one that is twice as slow in its short
// piece as the best so far has no rest.
class Trials {
public:
  // `steps`: of a way, those that warm it up apart.
  Trials(std::size_t ways, long steps);

  bool over() const { return at_ == seconds_.size(); }
  // The executor that is tried; afterwards the fastest.
  std::size_t at() const { return over() ? best_ : at_; }
  long want() const; // steps of the piece that is next
  bool timed() const { return piece_ != Piece::warm; }
  // The piece is done: by the clock of the slowest rank, so that all ranks choose alike. The time of a piece that is not
  // timed is ignored.
  void done(double seconds_a_step);
  // A step, of each way; 0: not tried.
  const std::vector<double>& seconds() const { return seconds_; }

private:
  enum class Piece { warm, begin, rest };

  std::vector<double> seconds_;
  long steps_;
  std::size_t at_ = 0, best_ = 0;
  Piece piece_ = Piece::warm;
};

// How long a trial is: steps of each way, where a run has `times`. As many as cost a fiftieth of the run more than the best
// way alone would take, by the predicted seconds of a step, the best first; 16 at least and as many as take `least`
// seconds; 512 and a 64th of the run at most.
long trial_steps(const std::vector<double>& predicted, long times, double least);

} // namespace tasuki
