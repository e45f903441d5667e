// What a profiler is told of a program of two sweeps: which names, and which of them in which.
#include <tasuki/device/ranges.hpp>
#include <tasuki/run/run.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace tasuki {
namespace {

struct Spread {
  TS_CELL void operator()(auto c, auto u, auto v) const { v(c) = 0.5 * (u(c, -1, 0) + u(c, 1, 0)); }
};
struct Damp {
  TS_CELL void operator()(auto c, auto u) const { u(c) = 0.75 * u(c); }
};

using Lines = std::vector<std::string>;

// What was begun, as lines: each with what it is in, "steps > step".
struct Told {
  Lines lines; // in their order
  long ends = 0;
};

// Five steps of Spread, which needs a halo, and Damp, on a periodic grid that is cut along x, by this executor. `on`: it is
// told to the test instead of a profiler.
Told told(const std::string& executor, long rows = 8, bool on = true) {
  const auto made = test::world_with([&](Settings& s) {
    s.executor = executor;
    s.ranks = {0, 1};
    s.threads = 2;
  });
  World& world = *made;
  Grid<2> grid(world, {48, rows}, {.periodic = true});
  Field<double> u(grid, "u"), v(grid, "v");
  u.from_host(std::vector<double>(u.to_host().size(), 1.0));
  const auto steps = program(sweep(Spread{}, grid.all(), reads(u, star(1)), writes(v)), swap(u, v),
                             sweep(Damp{}, grid.all(), updates(v)));
  Told told;
  Lines open;
  if (on)
    world.part<Ranges>().to(
        [&](const char* name) {
          open.emplace_back(open.empty() ? name : open.back() + " > " + name);
          told.lines.push_back(open.back());
        },
        [&] {
          ASSERT_FALSE(open.empty()) << "an end of nothing";
          open.pop_back();
          ++told.ends;
        });
  EXPECT_EQ(run(steps, {.times = 5}).steps, 5);
  EXPECT_TRUE(open.empty()) << open.back() << " has no end";
  world.part<Ranges>().to({}, {});
  return told;
}

long count(const Lines& lines, const std::string& line) {
  return static_cast<long>(std::count(lines.begin(), lines.end(), line));
}

bool any_ends(const Lines& lines, const std::string& end) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.ends_with(end); });
}

TEST(Ranges, EagerNamesAStepItsExchangeAndItsSweeps) {
  const Told seen = told("eager");
  EXPECT_EQ(seen.ends, static_cast<long>(seen.lines.size()));
  for (const char* line :
       {"steps", "steps > step", "steps > step > exchange", "steps > step > Spread", "steps > step > Damp"})
    EXPECT_EQ(count(seen.lines, line), 5) << line;
  EXPECT_EQ(seen.lines.size(), 25u);
  EXPECT_EQ(Lines(seen.lines.begin(), seen.lines.begin() + 5),
            (Lines{"steps", "steps > step", "steps > step > exchange", "steps > step > Spread",
                   "steps > step > Damp"}));
}

TEST(Ranges, OverlappedNamesTheInteriorAndTheRimBySweep) {
  const Told seen = told("overlapped");
  EXPECT_EQ(seen.ends, static_cast<long>(seen.lines.size()));
  EXPECT_EQ(count(seen.lines, "steps > step"), 5);
  EXPECT_EQ(count(seen.lines, "steps > step > exchange"), 10); // its start, and its end
  EXPECT_EQ(count(seen.lines, "steps > step > Spread"), 10);   // the interior, and what is done behind it
  EXPECT_EQ(count(seen.lines, "steps > step > Damp"), 5);
}

TEST(Ranges, ThreadsThatStayNameTheSameSteps) {
  if (test::device().cuda()) GTEST_SKIP() << "the kernel that stays is one range";
  for (const long rows : {8, 9000}) { // of so many cells the halo is a copy that threads share
    SCOPED_TRACE(rows);
    const Told seen = told("resident", rows);
    EXPECT_EQ(seen.ends, static_cast<long>(seen.lines.size()));
    EXPECT_EQ(count(seen.lines, "steps > step"), 5);
    EXPECT_EQ(count(seen.lines, "steps > step > Spread"), 5);
    EXPECT_EQ(count(seen.lines, "steps > step > Spread > exchange"), 5);
    EXPECT_EQ(count(seen.lines, "steps > step > Damp"), 5);
    EXPECT_FALSE(any_ends(seen.lines, "Damp > exchange")); // it reads its own cell
  }
}

TEST(Ranges, AreNotToldUnlessAskedFor) {
  EXPECT_TRUE(told("eager", 8, false).lines.empty());
  const auto made = test::world_with([](Settings& s) { s.ranges = true; });
  Ranges& ranges = made->part<Ranges>(); // NVTX's, or none in a build without CUDA: either takes them
  const NamedRange outer(ranges, "outer"), inner(ranges, "inner");
}

} // namespace
} // namespace tasuki
