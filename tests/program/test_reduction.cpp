// Reductions: over all ranks, over parts of them, exact unless --sums fast asks for other ones.
#include <tasuki/run/run.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace tasuki {
namespace {

using test::pick;
using test::Random;
using test::world;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

template <class T>
struct Offer {
  TS_CELL void operator()(auto c, auto u, auto r) const { r(c, static_cast<T>(u(c))); }
};
struct OfferAll {
  TS_CELL void operator()(auto c, auto u, auto sum, auto least, auto most, auto place) const {
    sum(c, u(c));
    least(c, u(c));
    most(c, u(c));
    place(c, u(c));
  }
};

// The values of a whole grid, the same on every rank, put into a field.
template <int D>
void fill(Field<double>& field, const Grid<D>& grid, const std::vector<double>& whole) {
  const Box owned = grid.core()->owned();
  std::vector<double> mine;
  Index at = owned.lo;
  for (long n = owned.cells(); n > 0; --n) {
    long cell = 0;
    for (int a = D - 1; a >= 0; --a) cell = cell * grid.extent(a) + at[a];
    mine.push_back(whole[static_cast<std::size_t>(cell)]);
    for (int a = 0; a < D && ++at[a] == owned.hi[a]; ++a) at[a] = owned.lo[a];
  }
  field.from_host(mine);
}

struct Results {
  double sum, least, most, at_value;
  long at_cell;
};

template <int D>
Results reduce_all(World& world, const std::array<long, D>& extents, const std::vector<double>& whole,
                   const std::array<long, D>& lo, const std::array<long, D>& hi) {
  Grid<D> grid(world, extents);
  Field<double> u(grid, "u");
  fill(u, grid, whole);
  Sum<double> sum(world, "sum");
  Min<double> least(world, "least");
  Max<double> most(world, "most");
  MaxPlace<double> place(world, "place");
  run(sweep(OfferAll{}, grid.box(lo, hi), reads(u), reduces(sum), reduces(least), reduces(most),
            reduces(place)));
  const auto found = place.value();
  return {sum.value(), least.value(), most.value(), found.value, found.cell};
}

std::unique_ptr<World> world_as(bool exact, const char* executor = "auto") {
  return test::world_with([&](Settings& s) {
    s.sums = exact ? "exact" : "fast";
    s.executor = executor;
    s.ranks.clear();
  });
}

TEST(Reduction, OfIntegersIsPlainArithmetic) {
  Random random = test::random(1);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (const bool exact : {false, true}) {
    const auto made = world_as(exact);
    const std::array<long, 3> n = {13, 9, 11};
    std::vector<double> whole(static_cast<std::size_t>(n[0] * n[1] * n[2]));
    for (double& x : whole) x = static_cast<double>(pick(random, -100000, 100000));
    double sum = 0, least = kInf, most = -kInf;
    long cell = -1;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      sum += whole[i];
      least = std::min(least, whole[i]);
      if (whole[i] > most) cell = static_cast<long>(i);
      most = std::max(most, whole[i]);
    }
    const Results got = reduce_all<3>(*made, n, whole, {0, 0, 0}, n);
    EXPECT_EQ(got.sum, sum);
    EXPECT_EQ(got.least, least);
    EXPECT_EQ(got.most, most);
    EXPECT_EQ(got.at_value, most);
    EXPECT_EQ(got.at_cell, cell); // the lowest cell of those that have it
  }
}

TEST(Reduction, OfAPartThatMostRanksHaveNothingOf) {
  for (const bool exact : {false, true}) {
    const auto made = world_as(exact);
    std::vector<double> whole(48 * 40);
    for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = -1000.0 - static_cast<double>(i);
    const Results got = reduce_all<2>(*made, {48, 40}, whole, {2, 1}, {5, 3}); // six cells of one corner
    double sum = 0;
    for (long y = 1; y < 3; ++y)
      for (long x = 2; x < 5; ++x) sum += whole[static_cast<std::size_t>(x + 48 * y)];
    EXPECT_EQ(got.sum, sum);
    EXPECT_EQ(got.least, whole[4 + 48 * 2]);
    EXPECT_EQ(got.most, whole[2 + 48 * 1]);
    EXPECT_EQ(got.at_cell, 2 + 48 * 1);
    const Results none = reduce_all<2>(*made, {48, 40}, whole, {5, 5}, {5, 9});
    EXPECT_EQ(none.sum, 0);
    EXPECT_EQ(none.least, kInf);
    EXPECT_EQ(none.most, -kInf);
  }
}

TEST(Reduction, LosesNoNan) {
  for (const bool exact : {false, true})
    for (const long at : {0L, 777L, 48L * 40 - 1}) {
      const auto made = world_as(exact);
      std::vector<double> whole(48 * 40, 1.0);
      whole[100] = kInf;
      whole[static_cast<std::size_t>(at)] = kNan;
      const Results got = reduce_all<2>(*made, {48, 40}, whole, {0, 0}, {48, 40});
      EXPECT_TRUE(std::isnan(got.sum));
      EXPECT_TRUE(std::isnan(got.least));
      EXPECT_TRUE(std::isnan(got.most));
      EXPECT_TRUE(std::isnan(got.at_value));
      EXPECT_EQ(got.at_cell, at);
    }
}

TEST(Reduction, KeepsInfinities) {
  for (const bool exact : {false, true}) {
    const auto made = world_as(exact);
    std::vector<double> whole(48 * 40, 1.0);
    whole[5] = -kInf;
    Results got = reduce_all<2>(*made, {48, 40}, whole, {0, 0}, {48, 40});
    EXPECT_EQ(got.sum, -kInf);
    EXPECT_EQ(got.least, -kInf);
    EXPECT_EQ(got.most, 1.0);
    EXPECT_EQ(got.at_cell, 0);
    whole[1900] = kInf;
    got = reduce_all<2>(*made, {48, 40}, whole, {0, 0}, {48, 40});
    EXPECT_TRUE(std::isnan(got.sum));
    EXPECT_EQ(got.at_cell, 1900);
  }
}

// Numbers of all sizes that cancel: the true sum is known, and a plain sum in any order is far from it.
std::vector<double> adversarial(Random& random, std::size_t count, double total) {
  std::vector<double> values;
  while (values.size() + 2 < count) {
    const double x =
        std::ldexp(static_cast<double>(pick(random, 1, 1L << 53)), static_cast<int>(pick(random, -300, 250)));
    values.push_back(x);
    values.push_back(-x);
  }
  values.push_back(total);
  while (values.size() < count) values.push_back(0);
  std::shuffle(values.begin(), values.end(), random);
  return values;
}

TEST(Deterministic, SumsAreExact) {
  Random random = test::random(2);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (const char* executor : {"eager", "overlapped"}) {
    const auto made = world_as(true, executor);
    for (const double total : {0.1, -3.0e-290, 0.0, 1e300}) {
      const auto whole = adversarial(random, 48 * 40, total);
      EXPECT_EQ(reduce_all<2>(*made, {48, 40}, whole, {0, 0}, {48, 40}).sum, total);
    }
  }
}

// The same bits for one number whatever the ranks: this number is known from a sum in 128-bit integers.
TEST(Deterministic, SumsHaveTheSameBitsOnAnyNumberOfRanks) {
  Random random(20250101); // not the seed: another run on other ranks is to have the same numbers
  const long n = 10000;    // enough for threads to share
  std::vector<double> whole(static_cast<std::size_t>(n));
  __int128 exact = 0; // in units of 2^-60
  for (double& x : whole) {
    const long m = pick(random, -(1L << 52), 1L << 52);
    const int shift = static_cast<int>(pick(random, 0, 40));
    x = std::ldexp(static_cast<double>(m), shift - 60);
    exact += static_cast<__int128>(m) << shift;
  }
  const double expected = std::ldexp(static_cast<double>(exact), -60); // one rounding, as it is to be
  for (const int threads : {1, 2, 3}) {
    const auto made = test::world_with([&](Settings& s) {
      s.sums = "exact";
      s.threads = threads;
      s.ranks.clear();
    });
    const Results got = reduce_all<2>(*made, {100, 100}, whole, {0, 0}, {100, 100});
    EXPECT_EQ(std::memcmp(&got.sum, &expected, sizeof expected), 0) << got.sum << " and not " << expected;
  }
}

struct SmoothAndOffer {
  TS_CELL void operator()(auto c, auto u, auto v, auto sum, auto floats) const {
    v(c) = 0.25 * ((u(c, 1, 0) + u(c, -1, 0)) + (u(c, 0, 1) + u(c, 0, -1)));
    const double change = v(c) - u(c, 0, 0);
    sum(c, change * change);
    floats(c, static_cast<float>(v(c)));
  }
};

// Steps that sum on every executor, channel, halo and number of threads, and on any ranks: the sums of a serial loop,
// which wide integers could not hold.
TEST(Deterministic, SumsHaveTheSameBitsHoweverStepsAreDone) {
  constexpr long nx = 70, ny = 52, steps = 12;
  Random random(20251012); // not the seed: the same on every number of ranks
  std::vector<double> first(static_cast<std::size_t>(nx * ny));
  for (double& x : first)
    x = std::ldexp(static_cast<double>(pick(random, -(1L << 52), 1L << 52)),
                   -static_cast<int>(pick(random, 40, 90)));
  const auto place = [](long x, long y) {
    return static_cast<std::size_t>((x + nx) % nx + nx * ((y + ny) % ny));
  };
  std::vector<double> u = first, v = first;
  ExactSum sum{}, floats{};
  for (long step = 0; step < steps; ++step, std::swap(u, v)) {
    sum = floats = {};
    const auto add = [](ExactSum& to, double x) {
      exact_split(x, [&](int k, long long amount) { to.digit[k] += amount; });
    };
    for (long y = 0; y < ny; ++y)
      for (long x = 0; x < nx; ++x) {
        double& now = v[place(x, y)];
        now = 0.25 * ((u[place(x + 1, y)] + u[place(x - 1, y)]) + (u[place(x, y + 1)] + u[place(x, y - 1)]));
        const double change = now - u[place(x, y)];
        add(sum, change * change);
        add(floats, static_cast<float>(now));
      }
  }
  const double want = exact_value(sum);
  const float want_floats = static_cast<float>(exact_value(floats));

  const bool cuda = test::device().cuda();
  for (const char* executor : {"eager", "overlapped", "resident", "auto"})
    for (const char* channel : {"", "mpi"})
      for (const int halo : {1, 2})
        for (const int threads : {1, 3}) {
          if (cuda && std::strcmp(executor, "resident") == 0) continue; // a GPU's adds no exact sums
          const auto made = test::world_with([&](Settings& s) { // the default for sums, but for a GPU's
            if (cuda) s.sums = "exact";
            s.executor = executor;
            s.channel = channel;
            s.halo = halo;
            s.threads = threads;
            s.ranks.clear();
          });
          Grid<2> grid(*made, {nx, ny}, {.halo = halo, .periodic = true});
          Field<double> a(grid, "a"), b(grid, "b");
          fill(a, grid, first);
          Sum<double> changes(*made, "changes");
          Sum<float> values(*made, "values");
          run(program(sweep(SmoothAndOffer{}, grid.all(), reads(a, star(1)), writes(b), reduces(changes),
                            reduces(values)),
                      swap(a, b)),
              {.times = steps});
          const double got = changes.value();
          const float got_floats = values.value();
          EXPECT_EQ(std::memcmp(&got, &want, sizeof want), 0)
              << got << " and not " << want << ", " << executor << " " << channel << " " << halo << " "
              << threads;
          EXPECT_EQ(std::memcmp(&got_floats, &want_floats, sizeof want_floats), 0)
              << got_floats << " and not " << want_floats << ", " << executor;
        }
}

TEST(Deterministic, IntegerSumsKeepAllTheirDigits) {
  const auto made = world_as(true);
  Grid<1> grid(*made, {64});
  Field<std::int64_t> u(grid, "u");
  const std::int64_t large = (std::int64_t{1} << 55) + 1; // no double
  u.from_host(std::vector<std::int64_t>(u.to_host().size(), large));
  Sum<std::int64_t> sum(*made, "sum");
  run(sweep(Offer<std::int64_t>{}, grid.all(), reads(u), reduces(sum)));
  EXPECT_EQ(sum.value(), 64 * large);
}

TEST(Reduction, OfFloatsAndIntegers) {
  for (const bool exact : {false, true}) {
    const auto made = world_as(exact);
    Grid<2> grid(*made, {30, 20});
    Field<double> u(grid, "u");
    std::vector<double> whole(600);
    for (int i = 0; i < 600; ++i) whole[static_cast<std::size_t>(i)] = i - 250;
    fill(u, grid, whole);
    Sum<float> fsum(*made, "fsum");
    Sum<int> isum(*made, "isum");
    Min<int> imin(*made, "imin");
    Max<float> fmax(*made, "fmax");
    const auto offer = [&]<class T>(T, const auto& to) {
      run(sweep(Offer<T>{}, grid.all(), reads(u), reduces(to)));
    };
    offer(float{}, fsum);
    offer(int{}, isum);
    offer(int{}, imin);
    offer(float{}, fmax);
    EXPECT_EQ(fsum.value(), 29700.0f);
    EXPECT_EQ(isum.value(), 29700);
    EXPECT_EQ(imin.value(), -250);
    EXPECT_EQ(fmax.value(), 349.0f);
  }
}

struct MeanAndSum {
  TS_CELL void operator()(auto c, auto u, auto v, auto sum) const {
    const double x = 0.5 * (u(c, -1, 0) + u(c, 0, 1));
    v(c) = x;
    sum(c, x);
  }
};

// Each run of a sweep starts anew; cells that several ranks compute count once.
TEST(Reduction, StartsAnewAndCountsACellOnce) {
  const auto made = test::world_with([](Settings& s) {
    s.halo = 3;
    s.executor = "overlapped";
    s.ranks.clear();
  });
  Grid<2> grid(*made, {30, 24}, {.halo = 3, .periodic = true});
  Field<double> u(grid, "u"), v(grid, "v");
  u.from_host(std::vector<double>(u.to_host().size(), 2.0));
  Sum<double> sum(*made, "sum");
  std::vector<double> seen;
  run(program(sweep(MeanAndSum{}, grid.all(), reads(u, star(1)), writes(v), reduces(sum)), swap(u, v),
              call([&](long) { seen.push_back(sum.value()); })),
      {.times = 5});
  EXPECT_EQ(seen, std::vector<double>(5, 2.0 * 30 * 24));
}

TEST(Reduction, IsRefusedBeforeItIsFilled) {
  Max<double> most(world(), "most");
  try {
    most.value();
    FAIL() << "it gave a value";
  } catch (const Error& fault) {
    EXPECT_NE(std::string(fault.what()).find("reduction 'most' was asked for before"), std::string::npos)
        << fault.what();
  }
}

} // namespace
} // namespace tasuki
