// Where the time of a run went: what was measured, scaled to all steps, and the rest.
#include <tasuki/run/phases.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

namespace tasuki {
namespace {

TEST(Phases, AddUpToTheWhole) {
  Phases phases(test::device());
  phases.add(10, 3, 1);
  auto seconds = phases.seconds(6);
  EXPECT_EQ(seconds["sweep"], 3);
  EXPECT_EQ(seconds["exchange"], 1);
  EXPECT_EQ(seconds["other"], 2);
  EXPECT_EQ(seconds.size(), 5u);            // call and settle, in which no time went
  EXPECT_EQ(phases.seconds(3)["other"], 0); // clocks differ by a little, and no time is below 0
}

TEST(Phases, OfStepsThatAreNotMeasuredAreLikeThoseThatAre) {
  Phases phases(test::device());
  phases.add(8, 2, 0);
  for (long step = 9; step <= 64; ++step) phases.begin_step(step);
  // On the host all of these were measured, and took no time; on a GPU none was, and they are as those before.
  EXPECT_DOUBLE_EQ(phases.seconds(20)["sweep"], test::device().cuda() ? 16 : 2);
}

TEST(Phases, AreOfTheirOwnWork) {
  Phases phases(test::device());
  phases.begin_step(1);
  phases.begin(Phase::call, "call");
  volatile double sum = 0;
  for (int k = 0; k < 100000; ++k) sum = sum + k;
  phases.end();
  phases.pause(); // what is enqueued for later
  phases.begin(Phase::settle, "settle");
  for (int k = 0; k < 100000; ++k) sum = sum + k;
  phases.end();
  auto seconds = phases.seconds(1);
  EXPECT_GT(seconds["call"], 0);
  EXPECT_EQ(seconds["settle"], 0);
  EXPECT_EQ(seconds["sweep"], 0);
  EXPECT_DOUBLE_EQ(seconds["call"] + seconds["other"], 1);
}

TEST(Phases, OfNoStepsAreOther) { EXPECT_EQ(Phases(test::device()).seconds(2)["other"], 2); }

} // namespace
} // namespace tasuki
