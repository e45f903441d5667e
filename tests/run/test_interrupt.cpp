// A signal to one rank ends the run on all of them after the same step. A program of its own: once told to stop, a
// world stays so.
#include <tasuki/run/run.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <string>

namespace tasuki {
namespace {

using test::world;

struct Count {
  TS_CELL void operator()(auto c, auto u, auto v) const { v(c) = 0.5 * (u(c, -1) + u(c, 1)) + 1.0; }
};

int chosen_signal() { // TASUKI_TEST_SIGNAL
  const char* text = std::getenv("TASUKI_TEST_SIGNAL");
  const std::string name = text ? text : "USR1";
  return name == "TERM" ? SIGTERM : name == "INT" ? SIGINT : SIGUSR1;
}

TEST(Interrupt, EndsAllRanksAfterTheSameStep) {
  Grid<1> grid(world(), {64}, {.halo = 1, .periodic = true});
  Field<double> u(grid, "u"), v(grid, "v");
  constexpr long kSteps = 1L << 24; // minutes, if nobody hears the signal
  const auto step = program(sweep(Count{}, grid.all(), reads(u, star(1)), writes(v)), swap(u, v));
  // No call in the steps: a batch of them has to end by itself. The one that asks whether to stop raises the signal.
  bool raised = false;
  const Until never{[&] {
                      if (!raised && world().rank() == world().size() - 1) std::raise(chosen_signal());
                      raised = true;
                      return false;
                    },
                    100};
  const RunReport report = run(step, {.times = kSteps, .until = never});
  EXPECT_TRUE(report.interrupted);
  EXPECT_FALSE(report.reached);
  EXPECT_GE(report.steps, 100);
  EXPECT_LT(report.steps, kSteps);
  long least = report.steps, most = report.steps;
  MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_LONG, MPI_MIN, world().comm());
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_LONG, MPI_MAX, world().comm());
  EXPECT_EQ(least, most);
  for (const double value : u.to_host()) EXPECT_EQ(value, static_cast<double>(report.steps));

  // It stays so: what would run on ends soon, and takes up where this one stopped.
  const RunReport more = run(step, {.times = kSteps, .done = report.steps});
  EXPECT_TRUE(more.interrupted);
  for (const double value : u.to_host()) EXPECT_EQ(value, static_cast<double>(report.steps + more.steps));
}

} // namespace
} // namespace tasuki
