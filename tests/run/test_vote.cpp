// How soon ranks of one host hear that one of them was told to stop. A program of its own: once told, a process stays so.
#include <tasuki/run/run.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <csignal>

namespace tasuki {
namespace {

// Threads that stay hear of it in the step after, not when their batch is over: a cell raises the signal, and batches of so
// small a grid would have hundreds of steps.
struct Raise {
  long* step; // of this rank
  long at;
  TS_CELL void operator()(auto c, auto u, auto v) const {
#ifndef __CUDA_ARCH__
    if (c[0] == 0 && ++*step == at) std::raise(SIGUSR1);
#endif
    v(c) = 0.5 * (u(c, -1) + u(c, 1)) + 1.0;
  }
};

TEST(Vote, IsHeardWithinABatchOfSteps) {
  const auto made = test::world_with([](Settings& s) {
    s.device = "host";
    s.executor = "resident";
    s.threads = 1;
    s.ranks.clear();
  });
  if (made->host_count() > 1) GTEST_SKIP() << "ranks of several hosts hear of it between batches";
  Grid<1> grid(*made, {64}, {.halo = 1, .periodic = true});
  Field<double> u(grid, "u"), v(grid, "v");
  long step = 0;
  constexpr long kAt = 300;
  const auto raise = sweep(Raise{&step, kAt}, grid.all(), reads(u, star(1)), writes(v));
  const RunReport report = run(program(raise, swap(u, v)), {.times = 100000});
  EXPECT_TRUE(report.interrupted);
  EXPECT_GE(report.steps, kAt);
  EXPECT_LE(report.steps,
            kAt + made->size() + 3); // ranks are no more than a step apart from their neighbours
  for (const double value : u.to_host()) EXPECT_EQ(value, static_cast<double>(report.steps));
}

} // namespace
} // namespace tasuki
