// How auto comes to its choice, on clocks that are made up, and for how long it remembers.
#include <tasuki/base/executors.hpp>
#include <tasuki/run/look.hpp>
#include <tasuki/run/run.hpp>
#include <tasuki/run/trials.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace tasuki {
namespace {

using test::world;

struct Tried {
  std::vector<long> steps; // of each way, timed
  std::size_t best;
  std::vector<double> seconds;
};
// The first steps of a way are dear, as they are.
Tried tried(const std::vector<double>& seconds, long steps) {
  Trials trials(seconds.size(), steps);
  Tried t{std::vector<long>(seconds.size()), 0, {}};
  while (!trials.over()) {
    const std::size_t at = trials.at();
    if (trials.timed()) t.steps[at] += trials.want();
    trials.done(trials.timed() ? seconds[at] : 1e9);
  }
  t.best = trials.at();
  t.seconds = trials.seconds();
  return t;
}

TEST(Trials, FindTheFastestAndGiveUpOnWhatIsTwiceAsSlow) {
  for (const long steps : {16, 64, 512}) {
    const std::vector<double> seconds{3, 5.9, 1, 2.1, 1.9, 40};
    const Tried t = tried(seconds, steps);
    EXPECT_EQ(t.best, 2u);
    EXPECT_EQ(t.steps[0], steps);
    EXPECT_EQ(t.steps[1], steps); // not twice the best so far
    EXPECT_EQ(t.steps[2], steps);
    EXPECT_EQ(t.steps[4], steps);
    for (const int slow : {3, 5}) EXPECT_EQ(t.steps[slow], std::max(8l, steps / 4)) << slow;
    for (std::size_t k = 0; k < seconds.size(); ++k) EXPECT_DOUBLE_EQ(t.seconds[k], seconds[k]);
  }
}

TEST(Trials, TakeTheMeanOfTheirPieces) {
  Trials trials(2, 64);
  trials.done(100);
  trials.done(1);
  trials.done(5);
  EXPECT_DOUBLE_EQ(trials.seconds()[0], (16 * 1.0 + 48 * 5.0) / 64);
  EXPECT_EQ(trials.at(), 1u);
  trials.done(100);
  trials.done(4.5);
  trials.done(3.5);
  EXPECT_TRUE(trials.over());
  EXPECT_EQ(trials.at(), 1u);
}

// A way takes `a_step` seconds for a step, and `once` more for each piece.
struct WithStart {
  double a_step, once;
};
std::size_t best_of(const std::vector<WithStart>& ways, long steps, double share) {
  Trials trials(ways.size(), steps, share);
  while (!trials.over()) {
    const WithStart& way = ways[trials.at()];
    trials.done(way.a_step + way.once / static_cast<double>(trials.want()));
  }
  return trials.at();
}

TEST(Trials, LeaveOutWhatAKernelOfManyStepsCostsOnce) {
  const std::vector<WithStart> ways{{5.6, 80}, {10, 0}};
  EXPECT_EQ(best_of(ways, 31, 0.3), 0u)
      << "8 steps take 125, 23 take 209: 5.6 each, 6.4 with the least share";
  EXPECT_EQ(best_of(ways, 31, 0), 1u) << "the mean of both pieces is 10.8";
  EXPECT_EQ(best_of({{5.6, 400}, {10, 0}}, 31, 0.3), 1u) << "no more than the share of the longer piece";
  EXPECT_EQ(best_of({{5.6, 80}, {10, 0}}, 16, 0.3), 1u) << "pieces of one length tell nothing of it";
  Trials odd(1, 64, 0.3);
  odd.done(1), odd.done(3), odd.done(5);
  EXPECT_DOUBLE_EQ(odd.seconds()[0], 5) << "a longer piece that is dearer a step had no start";
}

struct Halve {
  TS_CELL void operator()(auto c, auto u, auto v, auto most) const {
    v(c) = 0.5f * (u(c, -1) + u(c, 1));
    most(c, v(c));
  }
};

class Looking : public testing::Test {
protected:
  std::unique_ptr<World> world_ = test::world_with([](Settings& s) { s.executor = kAutoExecutor; });
  Grid<1> grid_{*world_, {64}, {.halo = 1, .periodic = true}};
  Field<float> u_{grid_, "u"}, v_{grid_, "v"};
  Max<float> most_{*world_, "most"};
  Sweep halve_ = sweep(Halve{}, grid_.all(), reads(u_, star(1)), writes(v_), reduces(most_));
};

TEST_F(Looking, IsForgottenByNoRunThatLooksAlike) {
  const Program program = tasuki::program(halve_, swap(u_, v_));
  const RunOptions plain{.times = 2048};
  const RunOptions asked{.times = 2048,
                         .until = above(most_, 1.0f, 32)}; // seldom: else one way alone is tried
  EXPECT_GT(run(program, plain).tried.size(), 1u);
  EXPECT_TRUE(run(program, plain).tried.empty());
  EXPECT_GT(run(program, asked).tried.size(), 1u); // another question
  EXPECT_TRUE(run(program, asked).tried.empty());
  const Program copy = program;
  EXPECT_TRUE(run(copy, plain).tried.empty());
  EXPECT_GT(run(Program(program.items()), plain).tried.size(), 1u); // of the same steps, but planned anew
}

TEST_F(Looking, IsDoneInKernelsWhereTheyCan) {
  const Program one = tasuki::program(halve_, swap(u_, v_));
  const Program calling = tasuki::program(halve_, swap(u_, v_), call([](long) {}));
  const Until below = tasuki::below(most_, 0.0f, 10);
  const Until mine{.reached = [] { return false; }, .every = 3};
  EXPECT_EQ(looks_of(one, {}).every, 0);
  EXPECT_EQ(looks_of(one, below).every, 10);
  EXPECT_FALSE(looks_of(one, below).late);
  EXPECT_TRUE(looks_of(one, tasuki::below(most_, 0.0f, 10, 2)).late);
  EXPECT_EQ(looks_of(one, below).in_kernels, world_->nodes() == 1 || world_->part<Device>().cuda());
  EXPECT_FALSE(looks_of(calling, below).in_kernels && !world_->part<Device>().cuda());
  EXPECT_FALSE(looks_of(one, mine).in_kernels);
}

TEST(Trials, CostAFiftiethOfARun) {
  // Three ways of 1, 1.5 and 4 us: a step of the trial costs 0.625 and 1.5 steps of the best.
  EXPECT_EQ(trial_steps({1e-6, 1.5e-6, 4e-6}, 20000, 1e-6), 188);
  EXPECT_EQ(trial_steps({1e-6, 1e-6}, 2000, 1e-6), 100) << "ways alike cost nothing: a 20th of the run";
  EXPECT_EQ(trial_steps({1e-6, 1e-6}, 1000000, 1e-6), 512);
  EXPECT_EQ(trial_steps({1e-6, 7e-6, 7e-6}, 20000, 100e-6), 100) << "a clock has to tell them apart";
  EXPECT_EQ(trial_steps({1e-3, 7e-3}, 1100, 100e-6), 16);
  // The longer of the two, and never more than a 20th of the run.
  EXPECT_EQ(trial_steps({1e-6, 7e-6}, 20000, 500e-6), 500)
      << "a fiftieth is 133 steps; half a millisecond is 500";
  EXPECT_EQ(trial_steps({1e-6, 7e-6}, 60000, 500e-6), 500) << "a fiftieth is 400";
  EXPECT_EQ(trial_steps({1e-6, 7e-6}, 5000, 500e-6), 250) << "a 20th of a short run";
}

} // namespace
} // namespace tasuki
