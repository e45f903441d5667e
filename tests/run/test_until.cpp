// Where a run ends by `until`, on every executor: at the step that the rule says, whoever looks and however late the
// verdict comes; and what a monitor is told until then. Programs, rules and lengths of runs are random; what is to come is told from the values of all steps.
#include <tasuki/base/executors.hpp>
#include <tasuki/run/run.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <sstream>
#include <utility>

namespace tasuki {
namespace {

using test::Random;
using test::world;

struct Hump {
  long nx, ny;
  TS_CELL void operator()(auto c, auto u, auto v) const {
    const bool edge = c[0] == 0 || c[1] == 0 || c[0] == nx - 1 || c[1] == ny - 1;
    u(c) = v(c) = edge ? 0.0f : 1.0f + static_cast<float>((c[0] * 7 + c[1] * 13) % 17) / 17.0f;
  }
};
struct Fade {
  float by;
  TS_CELL void operator()(auto c, auto u, auto v, auto most) const {
    v(c) = by * (u(c, -1, 0) + u(c, 1, 0) + u(c, 0, -1) + u(c, 0, 1));
    most(c, v(c));
  }
};
struct Add {
  TS_CELL void operator()(auto c, auto u, auto sum) const { sum(c) += u(c); }
};

struct Recipe {
  long nx = 0, ny = 0;
  bool periodic = false, rises = false, exact = true;
  int halo = 1;
  long seldom = 0, calls = 0; // periods of a second sweep and of a call; 0: none
  long every = 1, late = 0, times = 1, done = 0;
  long crosses = 0; // after so many steps the value is beyond the threshold
  long monitor = 0; // the value of every so many steps is told; 0: of none
};
std::ostream& operator<<(std::ostream& out, const Recipe& r) {
  return out << r.nx << " x " << r.ny << (r.periodic ? " periodic" : "") << ", halo " << r.halo
             << (r.exact ? ", exact sums" : "") << ", second sweep every " << r.seldom << ", call every "
             << r.calls << "; " << (r.rises ? "above" : "below") << " what step " << r.crosses
             << " has, every " << r.every << ", late " << r.late << ", times " << r.times << ", done "
             << r.done << ", told every " << r.monitor;
}

constexpr long kTraced = 150; // steps whose values are looked at; longer runs end before

struct Outcome {
  long steps;
  bool reached;
  float value;
  std::vector<float> u;
  std::vector<std::pair<long, float>> told; // step, value
};

// Does the program on an executor: until `threshold`, or so many steps if there is none. `trace` takes the value after
// each step.
Outcome cook(const std::string& executor, const Recipe& r, std::optional<float> threshold, long times,
             std::vector<float>* trace = nullptr) {
  const auto made = test::world_with([&](Settings& s) {
    s.executor = executor;
    s.channel = "";
    s.halo = r.halo;
    s.sums = r.exact ? "exact" : "fast";
    s.ranks.clear();
  });
  Grid<2> grid(*made, {r.nx, r.ny}, {.halo = 1, .periodic = r.periodic});
  Field<float> u(grid, "u"), v(grid, "v"), sum(grid, "sum");
  Max<float> most(*made, "most");
  run(sweep(Hump{r.nx, r.ny}, grid.all(), writes(u), writes(v)));
  const Region<2> region = r.periodic ? grid.all() : grid.inner(1);
  Items all;
  const auto add = [&](const Items& some) { all.insert(all.end(), some.begin(), some.end()); };
  add(items(sweep(Fade{r.rises ? 0.3f : 0.24f}, region, reads(u, star(1)), writes(v), reduces(most))));
  add(items(swap(u, v)));
  if (r.seldom) add(every(r.seldom, sweep(Add{}, grid.all(), reads(u), updates(sum))));
  if (r.calls) add(every(r.calls, call([](long) {})));
  if (trace) add(items(call([&](long) { trace->push_back(most.value()); })));
  RunOptions options{.times = times, .done = r.done};
  if (threshold)
    options.until =
        r.rises ? above(most, *threshold, r.every, r.late) : below(most, *threshold, r.every, r.late);
  std::vector<std::pair<long, float>> told;
  if (r.monitor && !trace)
    options.monitor = monitor(
        most, [&](long step, float value) { told.emplace_back(step, value); }, r.monitor);
  const RunReport report = run(Program(all), options);
  const float value = most.value();
  // Whatever a look has left to be done would be done now.
  run(Program(all), {.times = 5, .done = r.done + report.steps});
  return {report.steps, report.reached, value, u.to_host(), told};
}

Recipe random_recipe(Random& random) {
  const auto pick = [&](long low, long high) { return test::pick(random, low, high); };
  Recipe r{};
  const bool large = pick(0, 5) == 0; // many tiles of a GPU
  r.nx = pick(16, large ? 400 : 48);
  r.ny = pick(16, large ? 300 : 40);
  r.periodic = pick(0, 1);
  r.rises = pick(0, 1);
  r.exact = pick(0, 3) != 0;
  r.halo = static_cast<int>(pick(1, 3));
  r.seldom = pick(0, 2) == 0 ? pick(1, 5) : 0;
  r.calls = pick(0, 3) == 0 ? pick(1, 20) : 0;
  r.every = pick(0, 1) ? 1 : pick(2, 9);
  r.late = pick(0, 3) == 0 ? pick(0, 60) : pick(0, r.every);
  r.times = pick(0, 2) == 0 ? pick(1, 6) : pick(7, 90);
  r.done = pick(0, 1) ? pick(1, 30) : 0;
  r.crosses = pick(1, r.times + r.times / 8);
  r.monitor = pick(0, 2) == 0 ? 0 : pick(0, 1) ? r.every : pick(1, 7);
  return r;
}

// What `until` is to mean: the first look whose value is beyond the threshold, and so many steps more, within the run.
Outcome expected(const Recipe& r, const std::vector<float>& trace, float threshold) {
  Outcome due{r.times, false, 0, {}, {}};
  for (std::size_t k = 0; k < trace.size() && !due.reached; ++k) {
    const long step = r.done + 1 + static_cast<long>(k);
    const float value = trace[k];
    if (step % r.every != 0 || !(r.rises ? value > threshold : value < threshold)) continue;
    due.reached = true;
    due.steps = std::min(r.times, step - r.done + r.late);
  }
  due.value = trace[static_cast<std::size_t>(due.steps - 1)];
  for (long k = 0; k < due.steps; ++k)
    if (const long step = r.done + 1 + k; r.monitor && step % r.monitor == 0)
      due.told.emplace_back(step, trace[static_cast<std::size_t>(k)]);
  return due;
}

std::vector<std::string> all_and_auto() {
  std::vector<std::string> names = executor_names();
  names.emplace_back(kAutoExecutor);
  return names;
}

// Returns whether the run was ended by its rule.
bool compare(const Recipe& r, const std::vector<std::string>& executors) {
  std::ostringstream text;
  text << r << "; TASUKI_TEST_SEED=" << test::seed() << ", " << world().size() << " ranks";
  SCOPED_TRACE(text.str());
  std::vector<float> trace;
  const long seen = std::min(r.times, kTraced);
  cook("eager", r, {}, seen, &trace);
  trace.resize(static_cast<std::size_t>(seen)); // without what follows the run
  const float never = r.rises ? std::numeric_limits<float>::infinity() : 0.0f;
  const float threshold =
      r.crosses < static_cast<long>(trace.size()) ? trace[static_cast<std::size_t>(r.crosses - 1)] : never;
  Outcome due = expected(r, trace, threshold);
  due.u = cook("eager", r, {}, due.steps).u;
  for (const std::string& executor : executors) {
    SCOPED_TRACE(executor);
    try {
      const Outcome got = cook(executor, r, threshold, r.times);
      EXPECT_EQ(got.steps, due.steps);
      EXPECT_EQ(got.reached, due.reached);
      EXPECT_EQ(got.value, due.value);
      EXPECT_EQ(got.u, due.u);
      EXPECT_EQ(got.told, due.told);
    } catch (const Error& fault) { // a graph needs a GPU, a kernel that stays steps of one sweep
      if (std::string(fault.what()).find("cannot do this program") == std::string::npos) throw;
    }
  }
  return due.reached;
}

TEST(Until, EndsEveryExecutorAtTheSameStep) {
  Random random = test::random(1);
  const int ranks = world().size(); // many on few cores take their time
  const int rounds = ranks == 1 ? 60 : ranks <= 4 ? 12 : 4;
  int reached = 0;
  const auto enough = [&](int round) { return round >= rounds && (reached > 0 || round >= 60); };
  for (int round = 0; !enough(round) && !test::any_rank(testing::Test::HasFailure()); ++round)
    reached += compare(random_recipe(random), all_and_auto());
  EXPECT_GT(reached, 0);
}

// Runs that are worth a trial, which end by one look after another of its steps. Where verdicts are late, one of them is
// under way whenever auto might change executors.
TEST(Until, EndsATrialOfAuto) {
  if (world().size() > 2) GTEST_SKIP() << "long runs of many ranks take their time";
  Random random = test::random(2);
  const int ranks = world().size();
  for (const bool late : {true, false}) {
    if (ranks > 1 && !late) continue;
    Recipe r = random_recipe(random);
    r.rises = false;
    r.seldom = r.calls = 0;
    r.every = test::pick(random, 6, 9);
    r.late = late ? r.every : 0;
    r.times = test::pick(random, 1024, 1100);
    for (r.crosses = 3; r.crosses < 80 && !test::any_rank(testing::Test::HasFailure());
         r.crosses += ranks * r.every)
      EXPECT_TRUE(compare(r, {"auto"}));
  }
}

// A look in the last step has its verdict in the run, however late it may come, and so has a run of a few steps.
TEST(Until, HasTheLastLooksVerdict) {
  for (const long every : {1, 2, 5})
    for (const long late : {1, 2, 5})
      for (const long times : {1, 2, 3, 5, 10, 20}) {
        if (late > every || times < every || (world().size() > 2 && late < every) ||
            (world().size() > 4 && every != 2))
          continue;
        Recipe r{.nx = 24,
                 .ny = 20,
                 .periodic = true,
                 .exact = times % 2 == 0,
                 .halo = 1,
                 .every = every,
                 .late = late,
                 .times = times};
        r.crosses = times / every * every - 1; // no look but the last sees it
        if (r.crosses < 1) continue;
        EXPECT_TRUE(compare(r, all_and_auto()));
      }
}

} // namespace
} // namespace tasuki
