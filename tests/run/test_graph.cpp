// The graph executor against eager, bit for bit: long runs, steps that differ from their neighbours, calls that change
// fields, runs in pieces; and what it refuses.
#include <tasuki/run/run.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <cstring>

namespace tasuki {
namespace {

using test::world;

struct Start {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    u(c) = v(c) = static_cast<double>((c[0] * 7 + c[1] * 13) % 17) / 17.0;
  }
};
struct Spread {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    v(c) = 0.24 * (u(c, -1, 0) + u(c, 1, 0) + u(c, 0, -1) + u(c, 0, 1)) + 0.03 * u(c);
  }
};
struct Measure {
  TS_CELL void operator()(auto c, auto u, auto sum, auto most) const {
    sum(c, u(c));
    most(c, u(c) * static_cast<double>(c[0] % 5));
  }
};
struct Push {
  double by;
  TS_CELL void operator()(auto c, auto u) const {
    u(c) = u(c) * (1.0 - by) + by * static_cast<double>(c[1] % 3);
  }
};

struct Outcome {
  std::vector<double> u;
  std::vector<double> seen; // what calls and reductions saw
  RunReport report;
};

struct Recipe {
  const char* name;
  int halo;
  bool periodic;
  std::vector<long> parts;   // steps of runs that follow each other
  long often, seldom, calls; // periods; 0: never
  double below;              // until
  long every;
};
std::ostream& operator<<(std::ostream& out, const Recipe& r) { return out << r.name; }

Outcome cook(const char* executor, const char* channel, const Recipe& r) {
  const auto made = test::world_with([&](Settings& s) {
    s.executor = executor;
    s.channel = channel;
    s.ranks.clear();
    s.halo = 0;
    s.sums = "exact";
  });
  Grid<2> grid(*made, {61, 54}, {.halo = r.halo, .periodic = r.periodic});
  Field<double> u(grid, "u"), v(grid, "v");
  Sum<double> sum(*made, "sum");
  Max<double> most(*made, "most");
  run(sweep(Start{}, grid.all(), writes(u), writes(v)));
  Outcome outcome;
  Items all = items(sweep(Spread{}, grid.inner(1), reads(u, star(1)), writes(v)));
  const auto add = [&](const Items& some) { all.insert(all.end(), some.begin(), some.end()); };
  add(items(swap(u, v)));
  if (r.often) add(every(r.often, sweep(Push{0.125}, grid.box({3, 3}, {20, 9}), updates(u))));
  const auto measure = sweep(Measure{}, grid.all(), reads(u), reduces(sum), reduces(most));
  add(r.seldom ? every(r.seldom, measure) : items(measure));
  if (r.calls)
    add(every(r.calls, call([&](long step) {
                outcome.seen.push_back(static_cast<double>(step));
                outcome.seen.push_back(sum.value());
                outcome.seen.push_back(most.value());
                std::vector<double> values = u.to_host();
                for (double& value : values) value *= 0.5;
                u.from_host(values);
              })));
  const Program steps(all);
  long done = 0;
  for (const long times : r.parts) {
    RunOptions options{.times = times, .done = done};
    if (r.every) options.until = below(sum, r.below, r.every);
    outcome.report = run(steps, options);
    done += outcome.report.steps;
  }
  outcome.seen.push_back(static_cast<double>(done));
  outcome.u = u.gather();
  return outcome;
}

void compare(const Outcome& eager, const Outcome& graph, bool until) {
  ASSERT_EQ(graph.u.size(), eager.u.size());
  if (!eager.u.empty()) {
    EXPECT_EQ(std::memcmp(graph.u.data(), eager.u.data(), eager.u.size() * sizeof(double)), 0);
  }
  EXPECT_EQ(graph.seen, eager.seen);
  EXPECT_EQ(graph.report.steps, eager.report.steps);
  EXPECT_EQ(graph.report.reached, eager.report.reached);
  EXPECT_EQ(eager.report.reached, until) << "the recipe is to be changed";
  EXPECT_EQ(graph.report.executor, "graph");
  for (const auto& [name, use] : eager.report.channels) {
    EXPECT_EQ(graph.report.channels.at(name).bytes, use.bytes) << name;
    EXPECT_EQ(graph.report.channels.at(name).messages, use.messages) << name;
  }
}

class Graphs : public testing::TestWithParam<Recipe> {};

TEST_P(Graphs, HaveTheBitsOfEager) {
  if (!test::device().cuda()) GTEST_SKIP() << "no GPU";
  for (const char* channel : {"", "mpi"}) {
    const bool mpi = world().nodes() > 1 || *channel;
    if (mpi) continue;
    SCOPED_TRACE("--channel '" + std::string(channel) + "'");
    compare(cook("eager", channel, GetParam()), cook("graph", channel, GetParam()), GetParam().every > 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, Graphs,
                         testing::Values(Recipe{"many_steps", 1, true, {300}, 0, 7, 0, 0, 0},
                                         Recipe{"a_halo_of_three", 3, true, {301}, 0, 7, 0, 0, 0},
                                         Recipe{"edges", 2, false, {200}, 3, 5, 0, 0, 0},
                                         Recipe{"norm_every_step", 1, false, {150}, 0, 0, 0, 0, 0},
                                         Recipe{"seldom", 1, true, {420}, 3, 100, 0, 0, 0},
                                         Recipe{"calls_that_write", 2, true, {230}, 0, 4, 45, 0, 0},
                                         Recipe{"calls_in_every_step", 1, true, {9}, 0, 0, 1, 0, 0},
                                         Recipe{"in_pieces", 2, true, {1, 2, 7, 64, 65, 130}, 5, 3, 0, 0, 0},
                                         Recipe{"again", 1, true, {150, 150, 20, 150}, 0, 7, 0, 0, 0},
                                         Recipe{"long", 1, true, {3000}, 6, 100, 0, 0, 0},
                                         Recipe{"until", 1, false, {900}, 0, 0, 0, 1000.0, 10},
                                         Recipe{"until_at_any_step", 1, false, {900}, 0, 0, 0, 1000.0, 1}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(GraphExecutor, IsRefusedOnAHostWithTheReason) {
  if (test::device().cuda()) GTEST_SKIP() << "this is no host";
  try {
    cook("graph", "", {"refused", 1, true, {10}, 0, 0, 0, 0, 0});
    FAIL() << "it was not refused";
  } catch (const Error& fault) {
    EXPECT_NE(std::string(fault.what()).find("needs a GPU"), std::string::npos) << fault.what();
  }
}

} // namespace
} // namespace tasuki
