#include <tasuki/run/trials.hpp>

#include <algorithm>

namespace tasuki {
namespace {

constexpr long kLeast =
    8; // steps of a timed piece: a kernel of many steps has to amortize the cost of its launch
constexpr double kGivenUp = 2;

long begin_of(long steps) { return std::max(kLeast, steps / 4); }

} // namespace

Trials::Trials(std::size_t ways, long steps) : seconds_(ways, 0), steps_(std::max(steps, 2 * kLeast)) {}

long Trials::want() const {
  if (piece_ == Piece::warm) return std::max(kLeast / 2, steps_ / 4);
  return piece_ == Piece::begin ? begin_of(steps_) : steps_ - begin_of(steps_);
}

void Trials::done(double seconds_a_step) {
  if (piece_ == Piece::warm) {
    piece_ = Piece::begin;
    return;
  }
  double& mine = seconds_[at_];
  const double begin = static_cast<double>(begin_of(steps_)), all = static_cast<double>(steps_);
  mine = piece_ == Piece::begin ? seconds_a_step : (mine * begin + seconds_a_step * (all - begin)) / all;
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
  constexpr long kFewest = 16, kMost = 512, kPart = 64;
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
