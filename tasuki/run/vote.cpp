#include <tasuki/run/vote.hpp>

#include <tasuki/base/board.hpp>

#include <algorithm>

namespace tasuki {
namespace {

constexpr double kLook = 0.02; // seconds

// Stretches are counted over all runs of a world, since runs may be nested.
struct StretchesOfWorld {
  explicit StretchesOfWorld(World&) {}
  long count = 0;
};

} // namespace

Vote::Vote(World& world) : world_(world), turn_(world.part<StretchesOfWorld>().count) {}

Vote::~Vote() {
  if (pending_ && !unwinding()) {
    const Waiting now(world_, "the other ranks' last look");
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
  }
}

bool Vote::stop(double seconds, long steps) {
  return world_.host_count() == 1 ? stop_on_host() : stop_on_hosts(seconds, steps);
}

// All accesses are sequentially consistent: a rank that publishes its turn and sees no request has published it before
// the requesting rank reads it.
bool Vote::stop_on_host() {
  Board& board = world_.board();
  Board::Head& head = board.head();
  // After an error has ended the run, the signal comes from mpirun, which ends the other ranks: no vote takes place.
  if (world_.interrupted() && head.claim == 0 && head.asking.exchange(1) == 0) {
    long last = 0;
    for (int r = 0; r < board.size(); ++r) last = std::max(last, board.line(r).turn.load());
    head.last_turn = last;
    head.decided = 1;
  }
  board.own().turn = ++turn_;
  if (head.asking == 0) return false;
  world_.wait_until([&] { return head.decided != 0; }, "the rank that was told to stop");
  return turn_ > head.last_turn;
}

bool Vote::stop_on_hosts(double seconds, long steps) {
  steps_to_look_ -= steps;
  steps_ += steps;
  if (steps_to_look_ > 0) return false;
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
    pace(all_[1]);
  }
  mine_[0] = world_.interrupted();
  mine_[1] = (seconds - last_look_) / static_cast<double>(steps_);
  last_look_ = seconds;
  steps_ = 0;
  steps_to_look_ = interval_;
  if (told) return true;
  MPI_Iallreduce(mine_, all_, 2, MPI_DOUBLE, MPI_MAX, world_.comm(), &request_);
  pending_ = true;
  return false;
}

// From values that all ranks have. Not from the duration of the last look, whose interval was different: it oscillates.
void Vote::pace(double seconds_a_step) {
  const double steps = kLook / std::max(seconds_a_step, 1e-9);
  interval_ = std::clamp(static_cast<long>(std::min(steps, 1e9)), 1L, std::min(10 * interval_, kMost));
  known_ = true;
}

} // namespace tasuki
