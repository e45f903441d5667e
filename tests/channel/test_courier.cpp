// Communication threads: they do a duty until it leaves, and bring each turn of a haul when it is packed, and no earlier.
#include <tasuki/base/mpi_info.hpp>
#include <tasuki/channel/courier.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

namespace tasuki {
namespace {

using test::world;
using Words = std::array<std::int64_t, 3>;

#define NEEDS_THREADS() \
  if (!mpi_serves_threads(world())) GTEST_SKIP() << "MPI serves a single thread of each rank"

std::shared_ptr<Courier> courier() { return Courier::serving(world().part<Device>()); }

struct Counting : Duty {
  std::atomic<long> times{0};
  bool advance(const std::function<void()>&) override {
    ++times;
    return false;
  }
  bool settled() const override { return false; } // the thread does not sleep

  void wait_for(long more) const {
    const long least = times + more;
    world().wait_until([&] { return times >= least; }, "a communication thread");
  }
};

TEST(Courier, DoesEachDutyUntilItLeaves) {
  NEEDS_THREADS();
  const auto thread = courier();
  Counting stays, leaves;
  thread->take(stays);
  thread->take(leaves);
  leaves.wait_for(3);
  thread->leave(leaves);
  const long times = leaves.times;
  stays.wait_for(20);
  EXPECT_EQ(leaves.times, times);
  thread->leave(stays);
}

// Ranks in a ring: each sends to the next. A turn's words say whose they are.
class Ring {
public:
  explicit Ring(std::size_t sides) : out_(sides), in_(sides) {
    const int rank = world().rank(), size = world().size();
    Haul haul;
    for (std::size_t side = 0; side < sides; ++side) {
      Haul::Side made;
      made.sends.add_send(bytes_of(out_[side]), 3, (rank + 1) % size, 7, world().comm());
      made.receives.add_receive(bytes_of(in_[side]), 3, from(), 7, world().comm());
      haul.sides.push_back(std::move(made));
    }
    haul.packed = &packed_;
    haul.arrived = &arrived_;
    delivery_ = std::make_unique<Delivery>(courier(), 0, std::move(haul));
  }

  void pack(Flag turn) {
    out_[side(turn)] = {world().rank(), turn, -7};
    delivery_->announce(turn);
    std::atomic_ref<Flag>(packed_).store(turn, std::memory_order_release);
  }
  void announce(Flag turn) { delivery_->announce(turn); } // of what is not packed yet
  void await(Flag turn) {
    world().wait_until([&] { return delivery_->arrived() == turn; }, "a turn of this test");
  }
  Flag arrived() const { return delivery_->arrived(); }
  void end() { delivery_.reset(); }
  Words come(Flag turn) const { return in_[side(turn)]; }
  static Words due(Flag turn) { return {from(), turn, -7}; }

private:
  static int from() { return (world().rank() + world().size() - 1) % world().size(); }
  static char* bytes_of(Words& words) { return reinterpret_cast<char*>(words.data()); }
  std::size_t side(Flag turn) const { return (turn - 1) % out_.size(); }

  std::vector<Words> out_, in_;
  alignas(64) Flag packed_ = 0;
  alignas(64) Flag arrived_ = 0;
  std::unique_ptr<Delivery> delivery_; // last: its end waits for messages
};

TEST(Delivery, BringsEveryTurnWhenItIsPacked) {
  NEEDS_THREADS();
  for (const std::size_t sides : {1, 2}) {
    SCOPED_TRACE(sides);
    Ring ring(sides);
    for (Flag turn = 1; turn <= 9; ++turn) {
      ring.pack(turn);
      ring.await(turn);
      EXPECT_EQ(ring.come(turn), Ring::due(turn));
    }
  }
}

// The first turn has arrived and lies in the only buffer, until `packed` says that it has been unpacked.
TEST(Delivery, LeavesABufferAloneUntilItIsUnpacked) {
  NEEDS_THREADS();
  Ring ring(1);
  ring.pack(1);
  ring.await(1);
  const bool waits = world().rank() == 0;
  if (waits)
    ring.announce(2);
  else
    ring.pack(2);
  MPI_Barrier(world().comm()); // its neighbour's second message may be on its way
  if (waits) {
    EXPECT_EQ(ring.come(1), Ring::due(1));
    EXPECT_EQ(ring.arrived(), Flag{1});
    ring.pack(2);
  }
  ring.await(2);
  EXPECT_EQ(ring.come(2), Ring::due(2));
}

TEST(Delivery, EndsWhenWhatWasAnnouncedHasCome) {
  NEEDS_THREADS();
  Ring ring(2);
  ring.pack(1);
  ring.pack(2);
  ring.end();
  EXPECT_EQ(ring.come(1), Ring::due(1));
  EXPECT_EQ(ring.come(2), Ring::due(2));
}

} // namespace
} // namespace tasuki
