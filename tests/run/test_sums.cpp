// Sums of steps, on every executor: the bits of a plain serial loop's exact sum, however the steps are done, and `until`
// ends a run at the step that these bits say. Numbers are of all sizes, cancel, overflow; grids, rules and lengths are
// random. On a GPU this is what kernels of many steps are held against; tests/device/kernel plays their sums on the host.
#include <tasuki/base/executors.hpp>
#include <tasuki/run/run.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <sstream>

namespace tasuki {
namespace {

using test::Random;
using test::world;

// Of about one size, or of sizes up to 2^spread apart; of both signs.
TS_CELL float scatter(long n, int spread) {
  unsigned long long h = static_cast<unsigned long long>(n) * 0x9e3779b97f4a7c15u;
  h ^= h >> 29;
  h *= 0xbf58476d1ce4e5b9u;
  h ^= h >> 32;
  auto x = static_cast<float>(static_cast<long>(h & 0xffffff) - 0x800000) * 0x1p-23f;
  const int halves = spread > 0 ? static_cast<int>((h >> 24) % static_cast<unsigned>(spread)) : 0;
  for (int k = 0; k < halves; ++k) x *= 0.5f;
  return x;
}
TS_CELL float mixed(float left, float right, float below, float above) {
  return 0.3f * (left - right) + 0.4f * below + 0.25f * above;
}

struct Scatter {
  int spread;
  TS_CELL void operator()(auto c, auto u, auto v) const { u(c) = v(c) = scatter(c[0] + 4099 * c[1], spread); }
};
// Three sums: of squares, of two offers a cell in double, of floats.
struct Mix {
  double factor;
  TS_CELL void operator()(auto c, auto u, auto v, auto squares, auto pairs, auto floats) const {
    const float next = mixed(u(c, -1, 0), u(c, 1, 0), u(c, 0, -1), u(c, 0, 1));
    v(c) = next;
    squares(c, static_cast<double>(next) * static_cast<double>(next));
    pairs(c, factor * static_cast<double>(next));
    pairs(c, static_cast<double>(u(c)) / 3.0);
    floats(c, next);
  }
};

struct Recipe {
  long nx = 0, ny = 0;
  bool periodic = false;
  int halo = 1, spread = 0;
  double factor = 1;
  long times = 1, every = 1, late = 0;
  int looked_at = 0; // which sum `until` compares
  long crosses = 0;  // the step whose value the threshold is made of
  double beyond = 1; // times this
  bool below = true;
};
std::ostream& operator<<(std::ostream& out, const Recipe& r) {
  return out << r.nx << " x " << r.ny << (r.periodic ? " periodic" : "") << ", halo " << r.halo << ", spread "
             << r.spread << ", factor " << r.factor << ", times " << r.times << "; sum " << r.looked_at
             << (r.below ? " below " : " above ") << r.beyond << " of step " << r.crosses << ", every "
             << r.every << ", late " << r.late;
}

struct Sums {
  double squares, pairs;
  float floats;
  double of(int number) const { return number == 0 ? squares : number == 1 ? pairs : floats; }
};
std::vector<std::uint64_t> bits(const Sums& s) {
  std::vector<std::uint64_t> all;
  for (int k = 0; k < 3; ++k) {
    const double x = s.of(k);
    std::uint64_t word = 0;
    std::memcpy(&word, &x, sizeof word);
    all.push_back(x != x ? ~std::uint64_t{0} : word); // whichever NaN
  }
  return all;
}

void add_exactly(ExactSum& sum, double x) {
  exact_split(x, [&](int k, long long amount) { sum.digit[k] += amount; });
}

// The program in plain loops: the sums of every step, and the cells after so many of them.
class Serial {
public:
  explicit Serial(const Recipe& r) : r_(r), u_(size()), v_(size()) {
    for (long y = 0; y < r.ny; ++y)
      for (long x = 0; x < r.nx; ++x) u_[at(x, y)] = v_[at(x, y)] = scatter(x + 4099 * y, r.spread);
  }
  Sums step() {
    ExactSum squares{}, pairs{}, floats{};
    const long edge = r_.periodic ? 0 : 1;
    for (long y = edge; y < r_.ny - edge; ++y)
      for (long x = edge; x < r_.nx - edge; ++x) {
        const float next = mixed(u_[at(x - 1, y)], u_[at(x + 1, y)], u_[at(x, y - 1)], u_[at(x, y + 1)]);
        v_[at(x, y)] = next;
        add_exactly(squares, static_cast<double>(next) * static_cast<double>(next));
        double pair = 0;
        pair += r_.factor * static_cast<double>(next);
        pair += static_cast<double>(u_[at(x, y)]) / 3.0;
        add_exactly(pairs, pair);
        add_exactly(floats, next);
      }
    std::swap(u_, v_);
    return {exact_value(squares), exact_value(pairs), static_cast<float>(exact_value(floats))};
  }
  const std::vector<float>& cells() const { return u_; }

private:
  std::size_t size() const { return static_cast<std::size_t>(r_.nx * r_.ny); }
  std::size_t at(long x, long y) const {
    return static_cast<std::size_t>((x + r_.nx) % r_.nx + (y + r_.ny) % r_.ny * r_.nx);
  }
  const Recipe& r_;
  std::vector<float> u_, v_;
};

struct Outcome {
  long steps;
  bool reached;
  Sums sums;
  std::vector<float> cells; // on rank 0
};

Outcome cook(const std::string& executor, const Recipe& r, std::optional<double> threshold) {
  const auto made = test::world_with([&](Settings& s) {
    s.executor = executor;
    s.channel = "";
    s.halo = r.halo;
    s.sums = "auto";
    s.ranks.clear();
  });
  Grid<2> grid(*made, {r.nx, r.ny}, {.halo = 1, .periodic = r.periodic});
  Field<float> u(grid, "u"), v(grid, "v");
  Sum<double> squares(*made, "squares"), pairs(*made, "pairs");
  Sum<float> floats(*made, "floats");
  run(sweep(Scatter{r.spread}, grid.all(), writes(u), writes(v)));
  const Region<2> region = r.periodic ? grid.all() : grid.inner(1);
  RunOptions options{.times = r.times};
  const auto compare = [&](const auto& sum, auto value) {
    options.until = r.below ? below(sum, value, r.every, r.late) : above(sum, value, r.every, r.late);
  };
  if (threshold) {
    if (r.looked_at == 2)
      compare(floats, static_cast<float>(*threshold));
    else
      compare(r.looked_at == 0 ? squares : pairs, *threshold);
  }
  const RunReport report = run(program(sweep(Mix{r.factor}, region, reads(u, star(1)), writes(v),
                                             reduces(squares), reduces(pairs), reduces(floats)),
                                       swap(u, v)),
                               options);
  return {report.steps, report.reached, {squares.value(), pairs.value(), floats.value()}, u.gather()};
}

Recipe random_recipe(Random& random) {
  const auto pick = [&](long low, long high) { return test::pick(random, low, high); };
  Recipe r{};
  const bool large = pick(0, 3) == 0; // many tiles of a GPU
  r.nx = pick(16, large ? 700 : 60);
  r.ny = pick(16, large ? 500 : 50);
  r.periodic = pick(0, 1);
  r.halo = static_cast<int>(pick(1, 4));
  r.spread = static_cast<int>(std::array<long, 4>{0, 8, 60, 140}[static_cast<std::size_t>(pick(0, 3))]);
  r.factor = std::array<double, 5>{1, -1, 1e-310, 1e200, 1.7e308}[static_cast<std::size_t>(pick(0, 4))];
  r.times = pick(0, 2) == 0 ? pick(1, 6) : pick(7, large ? 30 : 60);
  r.every = pick(0, 1) ? 1 : pick(2, 7);
  r.late = pick(0, 1) ? 0 : pick(0, r.every);
  r.looked_at = static_cast<int>(pick(0, 2));
  r.crosses = pick(1, r.times);
  r.beyond = std::array<double, 4>{1, 1 + 1e-9, 1 - 1e-9, 1.01}[static_cast<std::size_t>(pick(0, 3))];
  r.below = pick(0, 2) != 0; // most fall
  return r;
}

void compare(const Recipe& r, bool until) {
  std::ostringstream text;
  text << r << (until ? "" : ", to the end") << "; TASUKI_TEST_SEED=" << test::seed() << ", "
       << world().size() << " ranks";
  SCOPED_TRACE(text.str());
  std::vector<Sums> trace;
  for (Serial all(r); trace.size() < static_cast<std::size_t>(r.times);) trace.push_back(all.step());
  std::optional<double> threshold;
  Outcome due{r.times, false, {}, {}};
  if (until) {
    threshold = r.beyond * trace[static_cast<std::size_t>(r.crosses - 1)].of(r.looked_at);
    if (r.looked_at == 2) threshold = static_cast<float>(*threshold);
    for (long step = r.every; step <= r.times && !due.reached; step += r.every) {
      const double value = trace[static_cast<std::size_t>(step - 1)].of(r.looked_at);
      due.reached = r.below ? value < *threshold : value > *threshold;
      if (due.reached) due.steps = std::min(r.times, step + r.late);
    }
  }
  due.sums = trace[static_cast<std::size_t>(due.steps - 1)];
  Serial again(r);
  for (long step = 0; step < due.steps; ++step) again.step();
  for (const std::string& executor : executor_names()) {
    SCOPED_TRACE(executor);
    try {
      const Outcome got = cook(executor, r, threshold);
      EXPECT_EQ(got.steps, due.steps);
      EXPECT_EQ(got.reached, due.reached);
      EXPECT_EQ(bits(got.sums), bits(due.sums));
      EXPECT_EQ(got.cells, world().rank() == 0 ? again.cells() : std::vector<float>());
    } catch (const Error& fault) { // a graph needs a GPU, passes a deeper halo
      if (std::string(fault.what()).find("cannot do this program") == std::string::npos) throw;
    }
  }
}

TEST(Sums, HaveTheBitsOfASerialLoopOnEveryExecutor) {
  Random random = test::random(1);
  const int rounds = world().size() == 1 ? 40 : 10;
  for (int round = 0; round < rounds && !test::any_rank(testing::Test::HasFailure()); ++round) {
    const Recipe r = random_recipe(random);
    compare(r, false);
    compare(r, true);
  }
}

} // namespace
} // namespace tasuki
