// What a run does besides its sweeps: how many steps, which of them, what it tells.
#include <tasuki/run/run.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <numeric>

namespace tasuki {
namespace {

using test::world;

struct Halve {
  TS_CELL void operator()(auto c, auto u) const { u(c) = 0.5 * u(c); }
};
struct Total {
  TS_CELL void operator()(auto c, auto u, auto sum) const { sum(c, u(c)); }
};
struct Add {
  double amount;
  TS_CELL void operator()(auto c, auto u) const { u(c) += amount; }
};
struct Mean {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    v(c) = 0.25 * (u(c, -1, 0) + u(c, 1, 0) + u(c, 0, -1) + u(c, 0, 1));
  }
};
struct Ramp {
  TS_CELL void operator()(auto c, auto u) const { u(c) = static_cast<double>(c[0] * c[0] + 3 * c[1]); }
};

std::vector<double> repeated(const Field<double>& field, double value) {
  return std::vector<double>(field.to_host().size(), value);
}

TEST(Run, ZeroTimesDoesNothing) {
  Grid<2> grid(world(), {16, 16});
  Field<double> u(grid, "u");
  run(sweep(Ramp{}, grid.all(), writes(u)));
  const auto before = u.to_host();
  int calls = 0;
  const RunReport report =
      run(program(sweep(Halve{}, grid.all(), updates(u)), call([&](long) { ++calls; })), {.times = 0});
  EXPECT_EQ(report.steps, 0);
  EXPECT_EQ(calls, 0);
  EXPECT_FALSE(report.interrupted);
  EXPECT_FALSE(report.reached);
  EXPECT_EQ(u.to_host(), before);
  for (const auto& [name, use] : report.channels) EXPECT_EQ(use.bytes + use.messages, 0) << name;
}

TEST(Run, NumbersItsStepsFromOneOrFromWhereAnEarlierRunStopped) {
  Grid<2> grid(world(), {16, 16});
  Field<double> u(grid, "u");
  std::vector<long> all, thirds, others;
  const auto steps =
      program(sweep(Halve{}, grid.all(), updates(u)), call([&](long step) { all.push_back(step); }),
              every(3, call([&](long step) { thirds.push_back(step); }),
                    call([&](long step) { others.push_back(step); })));
  EXPECT_EQ(run(steps, {.times = 4}).steps, 4);
  EXPECT_EQ(run(steps, {.times = 5, .done = 7}).steps, 5);
  EXPECT_EQ(all, (std::vector<long>{1, 2, 3, 4, 8, 9, 10, 11, 12}));
  EXPECT_EQ(thirds, (std::vector<long>{3, 9, 12}));
  EXPECT_EQ(others, (std::vector<long>{1, 2, 4, 8, 10, 11}));
}

TEST(Run, EveryTakesNoPeriodBelowOne) {
  Grid<2> grid(world(), {16, 16});
  Field<double> u(grid, "u");
  EXPECT_THROW(every(0, sweep(Halve{}, grid.all(), updates(u))), Error);
}

TEST(Run, EveryDoesOneThingOrTheOther) {
  Grid<2> grid(world(), {16, 16});
  Field<double> u(grid, "u");
  const auto small = sweep(Add{1}, grid.all(), updates(u)), large = sweep(Add{100}, grid.all(), updates(u));
  run(program(every(4, large, small)), {.times = 11});
  EXPECT_EQ(u.to_host(), repeated(u, 2 * 100 + 9));
}

TEST(Run, UntilLooksEverySoManySteps) {
  Grid<2> grid(world(), {16, 12});
  Field<double> u(grid, "u");
  Sum<double> sum(world(), "sum");
  const auto step =
      program(sweep(Halve{}, grid.all(), updates(u)), sweep(Total{}, grid.all(), reads(u), reduces(sum)));
  // 192 cells of 1 fall below 1 after 8 steps: 192/256.
  u.from_host(repeated(u, 1.0));
  RunReport report = run(step, {.times = 100, .until = below(sum, 1.0)});
  EXPECT_EQ(report.steps, 8);
  EXPECT_TRUE(report.reached);
  EXPECT_EQ(sum.value(), 0.75);
  u.from_host(repeated(u, 1.0));
  report = run(step, {.times = 100, .until = below(sum, 1.0, 5)});
  EXPECT_EQ(report.steps, 10);
  u.from_host(repeated(u, 1.0));
  report = run(step, {.times = 7, .until = below(sum, 1.0)});
  EXPECT_EQ(report.steps, 7);
  EXPECT_FALSE(report.reached);
  u.from_host(repeated(u, 1.0));
  report = run(step, {.times = 100, .until = above(sum, 50.0)});
  EXPECT_EQ(report.steps, 1);
  EXPECT_TRUE(report.reached);
}

TEST(Run, ACallMayWriteAFieldAndItsHalosFollow) {
  Grid<2> grid(world(), {24, 20}, {.halo = 2, .periodic = true});
  Field<double> u(grid, "u"), v(grid, "v");
  u.from_host(repeated(u, 1.0));
  const auto mean = sweep(Mean{}, grid.all(), reads(u, star(1)), writes(v));
  // The call stands between two sweeps, in steps in which halos were fresh and in others.
  std::vector<double> seen;
  run(program(mean, swap(u, v),
              every(3, call([&](long step) { u.from_host(repeated(u, static_cast<double>(step))); })), mean,
              swap(u, v)),
      {.times = 7});
  EXPECT_EQ(u.to_host(), repeated(u, 6.0)); // a halo that stayed behind would have brought 1s or 3s
}

TEST(Run, SplitInTwoGivesTheSameBits) {
  const auto after = [](std::vector<long> parts) {
    Grid<2> grid(world(), {33, 29}, {.halo = 2});
    Field<double> u(grid, "u"), v(grid, "v");
    run(program(sweep(Ramp{}, grid.all(), writes(u)), sweep(Ramp{}, grid.all(), writes(v))));
    const auto step = program(sweep(Mean{}, grid.inner(1), reads(u, star(1)), writes(v)), swap(u, v),
                              every(5, sweep(Add{0.375}, grid.box({3, 3}, {20, 9}), updates(u))));
    long done = 0;
    for (const long n : parts) {
      run(step, {.times = n, .done = done});
      done += n;
    }
    return u.to_host();
  };
  const auto whole = after({12});
  EXPECT_EQ(after({7, 5}), whole);
  EXPECT_EQ(after({1, 1, 3, 7}), whole);
}

// What all ranks send for a periodic grid, by hand.
TEST(Report, CountsTheBytesOfEveryChannel) {
  if (world().nodes() > 1) GTEST_SKIP() << "the count is for one node";
  const long extents[2] = {40, 36};
  for (const char* channel : {"", "mpi"})
    for (const int halo : {1, 4}) {
      SCOPED_TRACE("--channel '" + std::string(channel) + "', halo " + std::to_string(halo));
      const auto made = test::world_with([&](Settings& s) {
        s.executor = "eager";
        s.channel = channel;
        s.halo = 0;
        s.ranks.clear();
      });
      Grid<2> grid(*made, {extents[0], extents[1]}, {.halo = halo, .periodic = true});
      Field<double> u(grid, "u"), v(grid, "v");
      u.from_host(repeated(u, 1.0));
      const RunReport report =
          run(program(sweep(Mean{}, grid.all(), reads(u, star(1)), writes(v)), swap(u, v)), {.times = 12});
      EXPECT_EQ(report.steps, 12);
      EXPECT_EQ(report.executor, "eager");
      long bytes[3] = {}, messages[3] = {}; // self, peer, mpi
      const auto ranks = grid.ranks();
      const bool forced = channel[0] != 0;
      if (halo == 1) { // faces, every step
        for (int a = 0; a < 2; ++a)
          bytes[forced ? 2 : ranks[a] > 1 ? 1 : 0] += 12L * 2 * ranks[a] * extents[1 - a] * 8;
      } else { // faces and corners four deep, every fourth step
        for (int a = 0; a < 2; ++a)
          bytes[forced ? 2 : ranks[a] > 1 ? 1 : 0] += 3L * 2 * 4 * ranks[a] * extents[1 - a] * 8;
        bytes[forced ? 2 : made->size() > 1 ? 1 : 0] += 3L * 4 * 16 * made->size() * 8;
      }
      // A message goes to every rank that differs, and on itself, whatever the directions.
      const Decomposition& cut = grid.core()->cut();
      for (int r = 0; r < made->size(); ++r) {
        std::vector<char> near(static_cast<std::size_t>(made->size()), 0);
        for (int dx = -1; dx <= 1; ++dx)
          for (int dy = -1; dy <= 1; ++dy)
            if ((dx || dy) && (halo > 1 || !dx || !dy))
              near[static_cast<std::size_t>(cut.neighbour(r, {dx, dy}))] = 1;
        const long own = near[static_cast<std::size_t>(r)];
        const long others = std::accumulate(near.begin(), near.end(), 0L) - own;
        const long exchanges = halo == 1 ? 12 : 3;
        messages[forced ? 2 : 0] += exchanges * own;
        messages[forced ? 2 : 1] += exchanges * others;
      }
      const char* names[] = {"self", "peer", "mpi"};
      for (int k = 0; k < 3; ++k) {
        EXPECT_EQ(report.channels.at(names[k]).bytes, bytes[k]) << names[k];
        EXPECT_EQ(report.channels.at(names[k]).messages, messages[k]) << names[k];
      }
    }
}

TEST(Report, AddsUpTheTimeByPhase) {
  Grid<2> grid(world(), {200, 200}, {.halo = 1, .periodic = true});
  Field<double> u(grid, "u"), v(grid, "v");
  const RunReport report =
      run(program(sweep(Mean{}, grid.all(), reads(u, star(1)), writes(v)), swap(u, v), call([](long) {})),
          {.times = 64});
  EXPECT_GT(report.seconds, 0);
  EXPECT_GT(report.phases.at("sweep"), 0);
  EXPECT_GT(report.phases.at("exchange"), 0);
  for (const auto& [name, seconds] : report.phases) EXPECT_GE(seconds, 0) << name;
  for (const char* name : {"sweep", "exchange", "call", "other"})
    EXPECT_EQ(report.phases.count(name), 1u) << name;
}

TEST(Report, NamesTheExecutor) {
  for (const char* executor : {"eager", "overlapped", "resident"}) {
    const auto made = test::world_with([&](Settings& s) {
      s.executor = executor;
      s.channel = "";
    });
    if (made->nodes() > 1 && made->part<Device>().cuda())
      continue; // a kernel that stays stores into its neighbours
    Grid<2> grid(*made, {64, 64}, {.periodic = true});
    Field<double> u(grid, "u"), v(grid, "v");
    const auto program = tasuki::program(sweep(Mean{}, grid.all(), reads(u, star(1)), writes(v)), swap(u, v));
    EXPECT_EQ(run(program, {.times = 8}).executor, executor);
  }
}

// What one run has found out about a program the next one need not.
TEST(Report, AProgramIsTriedOnce) {
  const auto made = test::world_with([&](Settings& s) {
    s.executor = "auto";
    s.channel = "";
  });
  Grid<2> grid(*made, {16, 16}, {.periodic = true});
  Field<double> u(grid, "u"), v(grid, "v");
  const auto program = tasuki::program(sweep(Mean{}, grid.all(), reads(u, star(1)), writes(v)), swap(u, v));
  const RunReport first = run(program, {.times = 1200}), second = run(program, {.times = 1200});
  if (first.tried.size() < 2) GTEST_SKIP() << "all but one are hopeless here";
  EXPECT_TRUE(second.tried.empty());
  EXPECT_EQ(second.executor, first.executor);
  for (const auto& [name, seconds] : first.tried) EXPECT_GE(seconds, first.tried.at(first.executor)) << name;
  EXPECT_TRUE(run(program, {.times = 20}).tried.empty());
}

} // namespace
} // namespace tasuki
