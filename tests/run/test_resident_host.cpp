// Threads that stay do what eager does, bit for bit: programs made up at random, and ten thousand steps with delays
// wherever threads or ranks wait for each other.
#include <tasuki/run/run.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>

namespace tasuki {
namespace {

using test::pick;
using test::world;

struct Start {
  TS_CELL void operator()(auto c, auto a, auto b, auto w) const {
    a(c) = static_cast<double>((c[0] * 7 + c[1] * 13) % 11) / 11.0;
    b(c) = static_cast<double>((c[0] + 5 * c[1]) % 17) / 17.0;
    w(c) = static_cast<double>(c[0] - c[1]) / 64.0;
  }
};
struct Spread {
  TS_CELL void operator()(auto c, auto u, auto w, auto v) const {
    v(c) = 0.2 * (u(c, -1, 0) + u(c, 1, 0) + u(c, 0, -1) + u(c, 0, 1)) + 0.125 * w(c);
  }
};
struct Blend {
  TS_CELL void operator()(auto c, auto g, auto w) const {
    w(c) = 0.5 * w(c) + 0.25 * (g(c, -1, -1) + g(c, 1, 1)) - 0.125 * g(c, 1, -1);
  }
};
struct Nudge {
  TS_CELL void operator()(auto c, auto u) const { u(c) = 0.75 * u(c) + 0.001 * static_cast<double>(c[0]); }
};
struct Norm {
  TS_CELL void operator()(auto c, auto w, auto sum) const { sum(c, w(c, 0, -1) * w(c) + 0.1); }
};
struct Wave {
  TS_CELL void operator()(auto c, auto u, auto v, auto top) const {
    v(c) = 0.5 * v(c) + 0.125 * (u(c, -1, 0) - u(c, 0, 1));
    top(c, v(c));
  }
};

struct Case {
  long nx, ny, steps;
  bool periodic_x, periodic_y, exact;
  int halo, threads;
  std::string channel;
  std::uint64_t program; // what it is made up of
};

struct Outcome {
  std::vector<double> a, b, w;
  double sum, top;
  long place, steps, calls;
  std::map<std::string, ChannelUse> channels;
};

std::string text_of(const Case& k) {
  return std::to_string(k.nx) + " x " + std::to_string(k.ny) + ", periodic " + std::to_string(k.periodic_x) +
         std::to_string(k.periodic_y) + ", halo " + std::to_string(k.halo) + ", " +
         std::to_string(k.threads) + " threads, channel '" + k.channel + "', exact sums " +
         std::to_string(k.exact) + ", program " + std::to_string(k.program);
}

std::unique_ptr<World> world_for(const Case& k, const char* executor) {
  return test::world_with([&](Settings& s) {
    s.device = "host";
    s.executor = executor;
    s.channel = k.channel;
    s.halo = k.halo;
    s.threads = k.threads;
    s.sums = k.exact ? "exact" : "fast";
    s.ranks.clear();
  });
}

Outcome outcome(const Case& k, const char* executor) {
  const auto made = world_for(k, executor);
  Grid<2> grid(*made, {k.nx, k.ny}, {.halo = 1, .periodic = {k.periodic_x, k.periodic_y}});
  Field<double> a(grid, "a"), b(grid, "b"), w(grid, "w");
  Sum<double> sum(*made, "sum");
  MaxPlace<double> top(*made, "top");
  run(sweep(Start{}, grid.all(), writes(a), writes(b), writes(w)));
  Outcome got{};
  const auto inner = grid.inner(1);
  const auto norm = sweep(Norm{}, inner, reads(w, star(1)), reduces(sum));
  const auto wave = sweep(Wave{}, inner, reads(a, star(1)), updates(b), reduces(top));
  const auto write = [&](long step) {
    ++got.calls;
    std::vector<double> values = w.to_host();
    for (double& value : values) value = 0.5 * value + 0.01 * static_cast<double>(step % 7);
    if (step % 2 == 0) w.from_host(values);
  };
  const std::vector<Item> parts = {
      items(sweep(Spread{}, inner, reads(a, star(1)), reads(w), writes(b)))[0],
      items(sweep(Blend{}, inner, reads(b, box(1)), updates(w)))[0],
      items(sweep(Nudge{}, grid.box({0, 3}, {k.nx / 2, k.ny - 2}), updates(a)))[0],
      items(norm)[0],
      items(wave)[0],
      swap(a, b),
      exchange(a, w),
      call(write),
  };
  test::Random random(k.program);
  Items all;
  const auto part = [&] { return parts[static_cast<std::size_t>(pick(random, 0, 7))]; };
  for (long n = pick(random, 2, 7); n > 0; --n) {
    const long period = pick(random, 1, 5);
    for (const Item& item : pick(random, 0, 2) == 0 ? every(period, part(), part()) : every(period, part()))
      all.push_back(item);
  }
  for (const auto& last : {norm, wave}) all.push_back(items(last)[0]);
  const Program steps(all);
  const long half = pick(random, 0, k.steps);
  for (const auto& [done, times] : {std::pair{0L, half}, std::pair{half, k.steps - half}}) {
    const RunReport report = run(steps, {.times = times, .done = done});
    got.steps += report.steps;
    for (const auto& [name, use] : report.channels) {
      got.channels[name].bytes += use.bytes;
      got.channels[name].messages += use.messages;
    }
  }
  got.a = a.to_host();
  got.b = b.to_host();
  got.w = w.to_host();
  got.sum = sum.value();
  got.top = top.value().value;
  got.place = top.value().cell;
  return got;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

void expect_as_eager(const Case& k, const Outcome& want) {
  const Outcome got = outcome(k, "resident");
  EXPECT_TRUE(same_bits(got.a, want.a)) << "a";
  EXPECT_TRUE(same_bits(got.b, want.b)) << "b";
  EXPECT_TRUE(same_bits(got.w, want.w)) << "w";
  EXPECT_TRUE(same_bits({got.sum, got.top}, {want.sum, want.top})) << got.sum << " and " << want.sum;
  EXPECT_EQ(got.place, want.place);
  EXPECT_EQ(got.steps, want.steps);
  EXPECT_EQ(got.calls, want.calls);
  for (const auto& [name, use] : want.channels) {
    EXPECT_EQ(got.channels.at(name).bytes, use.bytes) << name;
    EXPECT_EQ(got.channels.at(name).messages, use.messages) << name;
  }
}

Case random_case(test::Random& random) {
  const bool large = pick(random, 0, 3) == 0; // then threads share what is summed
  Case k{};
  k.nx = large ? pick(random, 200, 260) : pick(random, 24, 120);
  k.ny = large ? pick(random, 180, 230) : pick(random, 24, 120);
  k.steps = pick(random, 1, 40);
  k.periodic_x = pick(random, 0, 1);
  k.periodic_y = pick(random, 0, 1);
  k.exact = pick(random, 0, 3) != 0;
  k.halo = static_cast<int>(pick(random, 1, 3));
  k.threads = static_cast<int>(pick(random, 1, 3));
  const char* channels[] = {"", "mpi", "x=mpi", "y-=mpi"};
  k.channel = channels[pick(random, 0, 3)];
  k.program = random();
  return k;
}

// TASUKI_CHAOS while it lives.
struct Delays {
  explicit Delays(std::uint64_t seed) { setenv("TASUKI_CHAOS", std::to_string(seed).c_str(), 1); }
  ~Delays() { unsetenv("TASUKI_CHAOS"); }
};

TEST(ResidentHost, DoesProgramsMadeUpAtRandomAsEagerDoes) {
  test::Random random = test::random(41);
  for (int n = 0; n < (world().size() > 1 ? 10 : 24); ++n) {
    const Case k = random_case(random);
    SCOPED_TRACE(text_of(k));
    expect_as_eager(k, outcome(k, "eager"));
    if (test::any_rank(testing::Test::HasFailure())) return;
  }
}

TEST(ResidentHost, DelaysChangeNoBit) {
  test::Random random = test::random(42);
  for (int n = 0; n < (world().size() > 1 ? 5 : 12); ++n) {
    const Case k = random_case(random);
    SCOPED_TRACE(text_of(k));
    const Outcome want = outcome(k, "eager");
    const Delays delays(random());
    expect_as_eager(k, want);
    if (test::any_rank(testing::Test::HasFailure())) return;
  }
}

struct Relax {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    v(c) =
        0.25f * (u(c, -1, 0) + u(c, 1, 0) + u(c, 0, -1) + u(c, 0, 1)) + 0.001f * static_cast<float>(c[0] % 7);
  }
};

std::vector<float> relaxed(const Case& k, const char* executor) {
  const auto made = world_for(k, executor);
  Grid<2> grid(*made, {k.nx, k.ny}, {.halo = 1, .periodic = {k.periodic_x, k.periodic_y}});
  Field<float> u(grid, "u"), v(grid, "v");
  const auto relax = sweep(Relax{}, grid.inner(1), reads(u, star(1)), writes(v));
  run(program(relax, swap(u, v)), {.times = k.steps});
  return u.to_host();
}

TEST(ResidentHost, TenThousandStepsWithDelaysAtTheRims) {
  for (const int threads : {1, 2}) {
    const int halo = threads; // and both depths
    const long steps = world().size() > 4 ? 1000 : 10000;
    const Case k{threads == 1 ? 37 : 97, 79, steps, true, true, false, halo, threads, "", 0};
    SCOPED_TRACE(text_of(k));
    const auto want = relaxed(k, "eager");
    const Delays delays(test::seed() + static_cast<std::uint64_t>(threads));
    const auto got = relaxed(k, "resident");
    EXPECT_EQ(std::memcmp(got.data(), want.data(), want.size() * sizeof(float)), 0);
  }
}

struct Halve {
  TS_CELL void operator()(auto c, auto u) const { u(c) = 0.5 * u(c); }
};
struct Ramp {
  TS_CELL void operator()(auto c, auto u) const { u(c) = static_cast<double>((c[0] * c[0] + 3 * c[1]) % 5); }
};
struct Largest {
  TS_CELL void operator()(auto c, auto u, auto most) const { most(c, static_cast<float>(u(c))); }
};

struct Smooth {
  TS_CELL void operator()(auto c, auto u, auto v, auto change) const {
    v(c) = 0.24 * (u(c, -1, 0) + u(c, 1, 0) + u(c, 0, -1) + u(c, 0, 1));
    change(c, (v(c) - u(c)) * (v(c) - u(c)));
  }
};

// Where a run ends is the same whoever looks, and so is what it leaves. A run after it shows that nothing was freed for
// an exchange that did not come.
TEST(ResidentHost, EndsWhereEagerEnds) {
  struct Way {
    bool falls, exact, calls;
    long every, late, times;
    int halo;
  };
  const auto ended = [](const char* executor, const Way& way) {
    const auto made = test::world_with([&](Settings& s) {
      s.device = "host";
      s.executor = executor;
      s.halo = way.halo;
      s.sums = way.exact ? "exact" : "fast";
      s.ranks.clear();
    });
    Grid<2> grid(*made, {26, 22}, {.halo = 1, .periodic = true});
    Field<double> u(grid, "u"), v(grid, "v");
    Sum<double> change(*made, "change");
    Max<float> largest(*made, "largest");
    run(sweep(Ramp{}, grid.all(), writes(u)));
    const auto step = program(sweep(Smooth{}, grid.all(), reads(u, star(1)), writes(v), reduces(change)),
                              every(3, sweep(Largest{}, grid.all(), reads(u), reduces(largest))), swap(u, v),
                              way.calls ? every(11, call([](long) {})) : Items{});
    const Until until = way.falls ? below(change, 0.05, way.every, way.late)
                                  : above(largest, 0.0f, way.every == 1 ? 3 : 3 * way.every, way.late);
    const RunReport report = run(step, {.times = way.times, .until = until, .done = 3});
    const double left = change.value();
    run(step, {.times = 7, .done = 3 + report.steps});
    return std::tuple{report.steps, report.reached, left, u.to_host()};
  };
  for (const bool falls : {true, false})
    for (const long every : {1, 2, 7})
      for (const long late : {0, 1, 3, 100})
        for (const long times : {5, 18, 150}) {
          if (world().size() > 4 && (times > 18 || late > 3))
            continue; // many ranks on few cores take their time
          const int halo = 1 + static_cast<int>((every + late + times) % 3);
          const Way way{falls, late == 1, times == 18 && every == 2, every, late, times, halo};
          EXPECT_EQ(ended("resident", way), ended("eager", way))
              << (falls ? "below, " : "above, ") << every << ", late " << late << ", times " << times;
        }
  // And it does end by it: in some of these the change is small enough before the last step.
  const auto [steps, reached, left, field] = ended("resident", {true, false, false, 1, 0, 150, 1});
  EXPECT_TRUE(reached);
  EXPECT_LT(steps, 150);
  EXPECT_LT(left, 0.05);
}

// Wrong seeds are refused, not guessed.
TEST(ResidentHost, TellsWhatIsWrongWithTheSeedOfDelays) {
  const auto made = test::world_with([](Settings& s) {
    s.device = "host";
    s.executor = "resident";
  });
  Grid<2> grid(*made, {16, 16});
  Field<double> u(grid, "u");
  setenv("TASUKI_CHAOS", "often", 1);
  EXPECT_THROW(run(sweep(Halve{}, grid.all(), updates(u))), Error);
  unsetenv("TASUKI_CHAOS");
}

} // namespace
} // namespace tasuki
