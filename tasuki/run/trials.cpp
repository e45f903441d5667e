#include <tasuki/run/trials.hpp>

#include <algorithm>

namespace tasuki {
namespace {

constexpr long kLeast =
    8; // steps of a timed piece: a kernel of many steps has to amortize the cost of its launch
constexpr double kGivenUp = 2;

long begin_of(long steps) { return std::max(kLeast, steps / 4); }

} // namespace

Trials::Trials(std::size_t ways, long steps, double once)
    : seconds_(ways, 0), steps_(std::max(steps, 2 * kLeast)), once_(once) {}

long Trials::want() const {
  if (piece_ == Piece::warm) return std::max(kLeast / 2, steps_ / 4);
  return piece_ == Piece::begin ? begin_of(steps_) : steps_ - begin_of(steps_);
}

// Seconds of a step, from those of a step of the two timed pieces.
double Trials::a_step(double begin, double rest) const {
  const auto in_begin = static_cast<double>(begin_of(steps_)), in_all = static_cast<double>(steps_);
  const double in_rest = in_all - in_begin;
  if (once_ == 0 || in_rest <= in_begin) return (begin * in_begin + rest * in_rest) / in_all;
  const double without = (rest * in_rest - begin * in_begin) / (in_rest - in_begin);
  return std::clamp(without, (1 - once_) * rest, rest);
}

void Trials::done(double seconds_a_step) {
  if (piece_ == Piece::warm) {
    piece_ = Piece::begin;
    return;
  }
  double& mine = seconds_[at_];
  mine = piece_ == Piece::begin ? seconds_a_step : a_step(mine, seconds_a_step);
  if (piece_ == Piece::begin && (at_ == 0 || mine <= kGivenUp * seconds_[best_])) {
    piece_ = Piece::rest;
    return;
  }
  if (mine < seconds_[best_]) best_ = at_;
  ++at_;
  piece_ = Piece::warm;
}

long trial_steps(const std::vector<double>& predicted, long times, double least) {
  constexpr double kShare = 0.02;
  constexpr long kFewest = 16, kMost = 512, kPart = 20;
  const double best = predicted.front();
  double more = 0; // cost of a trial step, in steps of the best way, including warm-up and early rejection
  for (const double seconds : predicted) {
    const double ratio = seconds / best;
    more += (ratio - 1) * (ratio > kGivenUp ? 0.5 : 1.25);
  }
  const auto total = static_cast<double>(times);
  const double share = std::min(kShare * total / std::max(more, 1e-3), static_cast<double>(kMost));
  const double few = std::max(least / best, static_cast<double>(kFewest));
  return std::clamp(static_cast<long>(std::max(share, few)), kFewest,
                    std::clamp(times / kPart, kFewest, kMost));
}

} // namespace tasuki
