// Monitors of sums: the host is told the bits that each step left, on every executor. The sum is of every step or of some;
// calls stand beside it, and an `until` of the same steps or of others.
#include <tasuki/base/executors.hpp>
#include <tasuki/run/run.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace tasuki {
namespace {

using test::pick;
using test::Random;
using test::world;

struct Bump {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    u(c) = v(c) = 1.0f / static_cast<float>(1 + (c[0] * 5 + c[1] * 3) % 23);
  }
};
struct Spread {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    v(c) = 0.25f * (u(c, 1, 0) + u(c, -1, 0) + u(c, 0, 1) + u(c, 0, -1));
  }
};
struct SpreadAndSum {
  TS_CELL void operator()(auto c, auto u, auto v, auto sum) const {
    v(c) = 0.25f * (u(c, 1, 0) + u(c, -1, 0) + u(c, 0, 1) + u(c, 0, -1));
    const auto step = static_cast<double>(v(c) - u(c));
    sum(c, step * step);
  }
};

struct Two {
  TS_CELL void operator()(auto c, auto u, auto most) const {
    u(c) = 2.0f;
    most(c, 2.0f);
  }
};

using Told = std::vector<std::pair<long, double>>;

struct Recipe {
  long nx, ny, done, times, summed, told, calls; // periods; calls 0: none
};

// The steps on an executor, with the options that `ask` sets. `trace` takes the sum after each step that has computed it.
using Ask = std::function<void(RunOptions&, const Sum<double>&)>;
void cook(const std::string& executor, const Recipe& r, const Ask& ask,
          std::vector<double>* trace = nullptr) {
  const auto made = test::world_with([&](Settings& s) {
    s.executor = executor;
    s.channel = "";
    s.sums = "exact";
    s.ranks.clear();
  });
  Grid<2> grid(*made, {r.nx, r.ny}, {.halo = 1});
  Field<float> u(grid, "u"), v(grid, "v");
  Sum<double> sum(*made, "sum");
  run(sweep(Bump{}, grid.all(), writes(u), writes(v)));
  const auto spread = sweep(Spread{}, grid.inner(1), reads(u, star(1)), writes(v));
  const auto spread_and_sum =
      sweep(SpreadAndSum{}, grid.inner(1), reads(u, star(1)), writes(v), reduces(sum));
  Items all = every(r.summed, spread_and_sum, spread);
  const auto add = [&](const Items& some) { all.insert(all.end(), some.begin(), some.end()); };
  add(items(swap(u, v)));
  if (r.calls) add(every(r.calls, call([](long) {})));
  if (trace) add(every(r.summed, call([&](long) { trace->push_back(sum.value()); })));
  RunOptions options{.times = r.times, .done = r.done};
  ask(options, sum);
  run(Program(all), options);
}

Told due(const Recipe& r, const std::vector<double>& trace) {
  Told due;
  long seen = 0;
  for (long step = r.done + 1; step <= r.done + r.times; ++step) {
    seen += step % r.summed == 0;
    if (step % r.told == 0) due.emplace_back(step, trace[static_cast<std::size_t>(seen - 1)]);
  }
  return due;
}

class Monitors : public testing::TestWithParam<std::string> {};

TEST_P(Monitors, AreToldTheSumOfEveryStep) {
  Random random = test::random(81);
  for (int round = 0; round < (world().size() > 4 ? 3 : 8); ++round) {
    Recipe r{};
    r.nx = pick(random, 16, 200);
    r.ny = pick(random, 16, 60);
    r.times = pick(random, 1, 2) == 1 ? pick(random, 4, 9) : pick(random, 10, 120);
    r.summed = pick(random, 1, 2) == 1 ? 1 : pick(random, 2, 6);
    r.told = r.summed * (pick(random, 1, 3) == 1 ? pick(random, 1, 5) : 1);
    r.done = pick(random, 0, 3) * r.summed; // the first value that is told has been computed
    r.calls = pick(random, 1, 3) == 1 ? pick(random, 1, 20) : 0;
    std::ostringstream text;
    text << r.nx << " x " << r.ny << ", times " << r.times << " after " << r.done << ", summed every "
         << r.summed << ", told every " << r.told << ", calls every " << r.calls
         << "; TASUKI_TEST_SEED=" << test::seed();
    SCOPED_TRACE(text.str());
    std::vector<double> trace;
    cook(
        "eager", r, [](RunOptions&, const Sum<double>&) {}, &trace);
    const Told expected = due(r, trace);
    const auto expect_told = [&](const std::function<void(RunOptions&, const Sum<double>&)>& until) {
      Told told;
      try {
        cook(GetParam(), r, [&](RunOptions& options, const Sum<double>& sum) {
          options.monitor = monitor(
              sum, [&](long step, double value) { told.emplace_back(step, value); }, r.told);
          until(options, sum);
        });
      } catch (const Error& fault) { // a graph needs a GPU, a kernel that stays steps of one sweep
        if (std::string(fault.what()).find("cannot do this program") == std::string::npos) throw;
        return;
      }
      EXPECT_EQ(told, expected);
    };
    expect_told([](RunOptions&, const Sum<double>&) {});
    expect_told([&](RunOptions& options, const Sum<double>& sum) {
      options.until = below(sum, -1.0, r.told, pick(random, 0, 1) * r.told);
    });
    expect_told([&](RunOptions& options, const Sum<double>& sum) {
      options.until = below(sum, -1.0, r.told + r.summed);
    });
    if (test::any_rank(testing::Test::HasFailure())) return;
  }
}

std::vector<std::string> all_and_auto() {
  std::vector<std::string> names = executor_names();
  names.emplace_back(kAutoExecutor);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Executors, Monitors, testing::ValuesIn(all_and_auto()),
                         [](const auto& info) { return info.param; });

TEST(Monitor, EndsARunByWhatItThrows) {
  Grid<1> grid(world(), {64});
  Field<float> u(grid, "u");
  Max<float> most(world(), "most");
  const Program steps = program(sweep(Two{}, grid.all(), writes(u), reduces(most)));
  long seen = 0;
  const auto refuse = [&](long step, float) {
    seen = step;
    if (step == 5) throw Error("the fifth value is wrong", "stop");
  };
  EXPECT_THROW(run(steps, {.times = 200, .monitor = monitor(most, refuse)}), Error);
  EXPECT_EQ(seen, 5) << "values come in order, and none after";
  EXPECT_THROW(monitor(most, refuse, 0), Error);
}

} // namespace
} // namespace tasuki
