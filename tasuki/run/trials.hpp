// Selects the fastest of several ways to do the same steps, by trying each on steps that have to be done anyway.
//   Trials trials(3, 64);
//   while (!trials.over()) { do trials.want() steps in way trials.at(); trials.done(seconds per step); }
//   use way trials.at();
#pragma once

#include <cstddef>
#include <vector>

namespace tasuki {

// Each way does a warm-up piece, a short timed piece, and the rest. A way that is twice as slow in its short piece as
// the best so far skips the rest.
class Trials {
public:
  // `steps`: per way, without the warm-up. A kernel of many steps has a cost of its own, which a long run pays less often
  // than the pieces of a trial: what the two timed pieces show of it is left out, up to a share `once` of the longer one.
  Trials(std::size_t ways, long steps, double once = 0);

  bool over() const { return at_ == seconds_.size(); }
  // The way that is being tried; after the trials, the fastest.
  std::size_t at() const { return over() ? best_ : at_; }
  long want() const; // the number of steps of the next piece
  bool timed() const { return piece_ != Piece::warm; }
  // To be called after a piece, with the time of the slowest rank, so that all ranks choose alike. The time of the
  // warm-up is ignored.
  void done(double seconds_a_step);
  // Seconds per step of each way; 0: not tried.
  const std::vector<double>& seconds() const { return seconds_; }

private:
  enum class Piece { warm, begin, rest };

  double a_step(double begin, double rest) const;

  std::vector<double> seconds_;
  long steps_;
  double once_;
  std::size_t at_ = 0, best_ = 0;
  Piece piece_ = Piece::warm;
};

// The number of steps that a trial does in each way, for a run of `times` steps. The trial's extra cost is at most a
// fiftieth of the run, by the predicted seconds per step of each way, the best first. At least 16 steps, and as many
// as take `least` seconds; at most 512 steps, and a 20th of the run.
long trial_steps(const std::vector<double>& predicted, long times, double least);

} // namespace tasuki
