#include <tasuki/run/vote.hpp>

#include <algorithm>

namespace tasuki {

Vote::~Vote() {
  if (pending_ && !unwinding()) MPI_Wait(&request_, MPI_STATUS_IGNORE);
}

bool Vote::stop(double seconds, long steps) {
  steps_to_look_ -= steps;
  looked_ = steps_to_look_ <= 0;
  if (!looked_) return false;
  bool told = false;
  if (pending_) {
    world_.wait_until(
        [this] {
          int done = 0;
          MPI_Test(&request_, &done, MPI_STATUS_IGNORE);
          return done != 0;
        },
        "the other ranks");
    pending_ = false;
    told = all_[0] > 0;
    const double ratio = 0.2 / std::max(all_[1], 1e-4);
    interval_ =
        std::clamp(static_cast<long>(static_cast<double>(interval_) * std::min(ratio, 10.0)), 1L, 1L << 20);
  }
  steps_to_look_ = interval_;
  mine_[0] = world_.interrupted();
  mine_[1] = seconds - last_look_;
  last_look_ = seconds;
  if (told) return true;
  MPI_Iallreduce(mine_, all_, 2, MPI_DOUBLE, MPI_MAX, world_.comm(), &request_);
  pending_ = true;
  return false;
}

} // namespace tasuki
