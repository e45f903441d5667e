// What a run says of what it decided: with --log info, with debug, and not a word where nothing is asked for.
#include <tasuki/run/run.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <sstream>

namespace tasuki {
namespace {

struct Average {
  TS_CELL void operator()(auto c, auto u, auto v) const { v(c) = 0.5 * (u(c, -1, 0) + u(c, 1, 0)); }
};

struct Told {
  std::string text; // of standard error
  RunReport report;

  long lines_with(const std::string& begin) const {
    std::istringstream in(text);
    long found = 0;
    for (std::string line; std::getline(in, line);) found += line.rfind(begin, 0) == 0;
    return found;
  }
};

// So many steps on a grid of {48, 8} that is cut along x.
Told told(const std::string& level, const std::string& executor, long times) {
  testing::internal::CaptureStderr();
  Told told;
  {
    const auto made = test::world_with([&](Settings& s) {
      s.log = level;
      s.executor = executor;
      s.ranks = {0, 1};
    });
    World& world = *made;
    Grid<2> grid(world, {48, 8}, {.periodic = true});
    Field<double> u(grid, "u"), v(grid, "v");
    u.from_host(std::vector<double>(u.to_host().size(), 1.0));
    told.report = run(program(sweep(Average{}, grid.all(), reads(u, star(1)), writes(v)), swap(u, v)),
                      {.times = times});
  }
  told.text = testing::internal::GetCapturedStderr();
  return told;
}

TEST(RunLog, SaysNothingUnlessAsked) { EXPECT_EQ(told("quiet", "eager", 8).text, ""); }

TEST(RunLog, OfRank0Alone) {
  if (test::world().rank() != 0) {
    EXPECT_EQ(told("debug", "eager", 8).text, "");
  } else {
    EXPECT_NE(told("debug", "eager", 8).text, "");
  }
}

TEST(RunLog, InfoNamesDeviceCutHaloChannelsAndExecutor) {
  const Told told = tasuki::told("info", "eager", 8);
  if (test::world().rank() != 0) return;
  const int ranks = test::world().size();
  EXPECT_EQ(
      told.lines_with(test::device().cuda() ? "tasuki info: device cuda: " : "tasuki info: device host: "),
      1);
  EXPECT_EQ(told.lines_with("tasuki info: grid 48x8: cut " + std::to_string(ranks) + "x1 "), 1) << told.text;
  EXPECT_NE(told.text.find(std::to_string(48 / ranks) + "x8 cells on rank 0, halo 1:1,1:1"),
            std::string::npos)
      << told.text;
  // A rank alone is its own neighbour.
  const std::string neighbour =
      "x- to rank " + std::to_string(ranks - 1) + " by " + (ranks > 1 ? "peer:" : "self");
  EXPECT_EQ(told.lines_with("tasuki info: halos of rank 0 travel "), 1) << told.text;
  EXPECT_NE(told.text.find(neighbour), std::string::npos) << told.text;
  EXPECT_EQ(told.lines_with("tasuki info: executor eager, as --executor asks"), 1);
  EXPECT_EQ(told.lines_with("tasuki debug: "), 0);
}

TEST(RunLog, DebugNamesPlansAndExchanges) {
  const Told told = tasuki::told("debug", "eager", 8);
  if (test::world().rank() != 0) return;
  EXPECT_EQ(
      told.lines_with("tasuki debug: plan 1 of a program: exchange of u; sweep Average; swap of u and v"), 1)
      << told.text;
  EXPECT_EQ(told.lines_with("tasuki debug: exchange of 'u' up to 1 deep: "), 1) << told.text;
}

TEST(RunLog, AutoSaysWhatItTriedAndWhatItTook) {
  const Told told = tasuki::told("info", "auto", 2048);
  if (test::world().rank() != 0) return;
  EXPECT_NE(told.text.find(", predicted: "), std::string::npos) << told.text;
  if (!told.report.tried.empty()) {
    EXPECT_EQ(told.lines_with("tasuki info: executor " + told.report.executor + ", tried: "), 1) << told.text;
    for (const auto& [name, seconds] : told.report.tried)
      EXPECT_NE(told.text.find(name), std::string::npos) << name;
  }
}

} // namespace
} // namespace tasuki
