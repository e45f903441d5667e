// Numbers worked out of reductions and used by later sweeps: conjugate gradients of (5 - the sum of four neighbours),
// against a serial loop, and with the same bits by every executor and on any number of ranks.
#include <tasuki/tasuki.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace tasuki {
namespace {

struct Apply { // q = A p, and (p, q)
  TS_CELL void operator()(auto c, auto p, auto q, auto pq) const {
    const double v = 5 * p(c) - p(c, 1, 0) - p(c, -1, 0) - p(c, 0, 1) - p(c, 0, -1);
    q(c) = v;
    pq(c, p(c) * v);
  }
};
struct Alpha { // s = {alpha, beta, (r, r), steps}
  TS_CELL void operator()(double* s, double pq) const { s[0] = s[2] / pq; }
};
struct Descend { // x += alpha p, r -= alpha q
  TS_CELL void operator()(auto c, auto s, auto p, auto q, auto x, auto r, auto rr) const {
    x(c) += s[0] * p(c);
    r(c) -= s[0] * q(c);
    rr(c, r(c) * r(c));
  }
};
struct Beta {
  TS_CELL void operator()(double* s, double rr) const {
    s[1] = rr / s[2];
    s[2] = rr;
    s[3] += 1;
  }
};
struct Turn { // p = r + beta p
  TS_CELL void operator()(auto c, auto s, auto r, auto p) const { p(c) = r(c) + s[1] * p(c); }
};

constexpr long kX = 24, kY = 20;

std::vector<double> right_side() {
  std::vector<double> b;
  for (long i = 0; i < kX * kY; ++i) b.push_back(std::sin(0.7 * static_cast<double>(i)));
  return b;
}

std::vector<double> serial(int steps) {
  const std::vector<double> b = right_side();
  std::vector<double> x(b.size()), r = b, p = b, q(b.size());
  const auto at = [](long i, long j) { return static_cast<std::size_t>((j + kY) % kY * kX + (i + kX) % kX); };
  long double rr = 0;
  for (const double v : r) rr += v * v;
  for (int n = 0; n < steps; ++n) {
    long double pq = 0, next = 0;
    for (long j = 0; j < kY; ++j)
      for (long i = 0; i < kX; ++i) {
        q[at(i, j)] = 5 * p[at(i, j)] - p[at(i + 1, j)] - p[at(i - 1, j)] - p[at(i, j + 1)] - p[at(i, j - 1)];
        pq += p[at(i, j)] * q[at(i, j)];
      }
    const double alpha = static_cast<double>(rr / pq);
    for (std::size_t k = 0; k < b.size(); ++k) {
      x[k] += alpha * p[k];
      r[k] -= alpha * q[k];
      next += r[k] * r[k];
    }
    const double beta = static_cast<double>(next / rr);
    for (std::size_t k = 0; k < b.size(); ++k) p[k] = r[k] + beta * p[k];
    rr = next;
  }
  return x;
}

// The whole solution on rank 0 after so many steps.
std::vector<double> solved(const std::string& executor, bool exact, int steps) {
  const auto world = test::world_with([&](Settings& s) {
    s.executor = executor;
    s.sums = exact ? "exact" : "fast";
    s.halo = 0;
  });
  Grid<2> grid(*world, {kX, kY}, {.halo = 1, .periodic = true});
  Field<double> x(grid, "x"), r(grid, "r"), p(grid, "p"), q(grid, "q");
  Sum<double> pq(*world, "pq"), rr(*world, "rr");
  Scalars<4> s(*world, "cg");
  const std::vector<double> b = right_side();
  std::vector<double> mine;
  const Box owned = grid.core()->owned();
  for (long j = owned.lo[1]; j < owned.hi[1]; ++j)
    for (long i = owned.lo[0]; i < owned.hi[0]; ++i) mine.push_back(b[static_cast<std::size_t>(j * kX + i)]);
  r.from_host(mine);
  p.from_host(mine);
  long double first = 0;
  for (const double v : b) first += v * v;
  s.set({0, 0, static_cast<double>(first), 0});
  const auto step =
      program(sweep(Apply{}, grid.all(), reads(p, star(1)), writes(q), reduces(pq)), settle(Alpha{}, s, pq),
              sweep(Descend{}, grid.all(), uses(s), reads(p), reads(q), updates(x), updates(r), reduces(rr)),
              settle(Beta{}, s, rr), sweep(Turn{}, grid.all(), uses(s), reads(r), updates(p)));
  run(step, {.times = steps});
  EXPECT_EQ(s.value()[3], steps);
  EXPECT_LT(s.value()[2], 1e-3 * static_cast<double>(first));
  return x.gather();
}

class Solves : public testing::TestWithParam<std::string> {};

TEST_P(Solves, AsASerialLoopDoes) {
  constexpr int kSteps = 14;
  const std::vector<double> want = serial(kSteps), got = solved(GetParam(), false, kSteps),
                            exact = solved(GetParam(), true, kSteps), eager = solved("eager", true, kSteps);
  ASSERT_EQ(got.size(), test::world().rank() == 0 ? want.size() : 0);
  for (std::size_t k = 0; k < got.size(); ++k) {
    ASSERT_NEAR(got[k], want[k], 1e-11) << "cell " << k;
    ASSERT_NEAR(exact[k], want[k], 1e-11) << "cell " << k;
    ASSERT_EQ(exact[k], eager[k]) << "cell " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Scalars, Solves, testing::Values("eager", "overlapped", "auto"),
                         [](const auto& info) { return info.param; });

// Sums in the order of the blocks: a graph, messages and stores leave the same bits, turn for turn. Two settlements a
// step of other sizes, and a run after a run.
struct Change { // v = u / 2 + s[0], and what there is to say of it
  TS_CELL void operator()(auto c, auto s, auto u, auto v, auto sum, auto most) const {
    const double x = 0.5 * u(c) + s[0] * 1e-3 * (u(c, 1, 0) - u(c, 0, -1)) + s[2];
    v(c) = x;
    sum(c, x * 1.1);
    most(c, x);
  }
};
struct First {
  TS_CELL void operator()(double* s, double sum, Place<double> most) const {
    s[0] = sum - floor(sum);
    s[1] = most.value + 1e-6 * static_cast<double>(most.cell);
  }
};
struct Weigh {
  TS_CELL void operator()(auto c, auto s, auto v, auto weight) const { weight(c, v(c) * s[1]); }
};
struct Second {
  TS_CELL void operator()(double* s, double weight) const {
    s[2] = 1e-3 * (weight - floor(weight));
    s[3] += 1;
  }
};

struct Outcome {
  std::vector<double> u;
  std::array<double, 4> s;
  bool on_device;
  bool apart; // ranks that no mail joins
};
Outcome changed(const std::string& executor, const std::string& channel) {
  const auto world = test::world_with([&](Settings& s) {
    s.executor = executor;
    s.channel = channel;
    s.halo = 0;
  });
  Grid<2> grid(*world, {kX, kY}, {.halo = 1, .periodic = true});
  Field<double> u(grid, "u"), v(grid, "v");
  Sum<double> sum(*world, "sum"), weight(*world, "weight");
  MaxPlace<double> most(*world, "most");
  Scalars<4> s(*world, "s");
  const Box owned = grid.core()->owned();
  std::vector<double> mine;
  for (long j = owned.lo[1]; j < owned.hi[1]; ++j)
    for (long i = owned.lo[0]; i < owned.hi[0]; ++i)
      mine.push_back(std::sin(0.3 * static_cast<double>(i + 31 * j)));
  u.from_host(mine);
  s.set({0.3, 0, 0, 0});
  const auto first = settle(First{}, s, sum, most);
  const auto step =
      program(sweep(Change{}, grid.all(), uses(s), reads(u, star(1)), writes(v), reduces(sum), reduces(most)),
              first, sweep(Weigh{}, grid.all(), uses(s), reads(v), reduces(weight)),
              settle(Second{}, s, weight), swap(u, v));
  run(step, {.times = 37});
  run(step, {.times = 200, .done = 37});
  return {u.gather(), s.value(), first->on_device(),
          test::any_rank(!world->part<Device>().part<RankMail>().handle().ranks)};
}

TEST(Scalars, HaveTheSameBitsWhicheverWayPartsTravel) {
  const Outcome messages = changed("eager", "mpi"), stores = changed("eager", "");
  EXPECT_EQ(messages.s[3], 237);
  EXPECT_EQ(stores.s, messages.s);
  EXPECT_EQ(stores.u, messages.u);
  EXPECT_EQ(messages.on_device, test::world().size() == 1);
  // Else a graph would do such steps one by one.
  EXPECT_EQ(stores.on_device, !stores.apart);
  if (!test::device().cuda() || test::world().nodes() > 1 || stores.apart) return;
  const Outcome graph = changed("graph", "");
  EXPECT_EQ(graph.s, messages.s);
  EXPECT_EQ(graph.u, messages.u);
}

// Several systems settled at once are settled as each by itself, whichever way parts travel.
struct Weights {
  TS_CELL void operator()(auto c, auto s, auto u, auto sum, auto most) const {
    u(c) = 0.9 * u(c) + s[0] + 1e-3 * static_cast<double>((c[0] + 2 * c[1]) % 7);
    sum(c, u(c));
    most(c, u(c));
  }
};
struct Next {
  TS_CELL void operator()(double* s, double sum, double most) const {
    s[0] = 1e-2 * (sum - floor(sum)) / most;
    s[1] += 1;
  }
};

// in_one: each system's scalars are a part of what all have together.
std::vector<double> several(const std::string& channel, bool together, bool in_one = false) {
  constexpr int kSystems = 40; // more than go at once
  const auto world = test::world_with([&](Settings& s) {
    s.executor = "eager";
    s.channel = channel;
  });
  Grid<2> grid(*world, {kX, kY});
  Scalars<2 * kSystems> all_scalars(*world, "all");
  std::vector<Scalars<2>> scalars;
  std::vector<std::tuple<Sum<double>, Max<double>>> reductions;
  std::vector<Field<double>> fields;
  Items items;
  const auto add = [&](const auto& part) {
    for (const Item& item : tasuki::items(part)) items.push_back(item);
  };
  for (int k = 0; k < kSystems; ++k) {
    scalars.push_back(in_one ? all_scalars.part<2>(2 * k) : Scalars<2>(*world, "s"));
    scalars.back().set({0.1 * k + 0.1, 0});
    reductions.emplace_back(Sum<double>(*world, "sum"), Max<double>(*world, "most"));
    fields.emplace_back(grid, "u");
    const auto& [sum, most] = reductions.back();
    add(sweep(Weights{}, grid.all(), uses(scalars.back()), updates(fields.back()), reduces(sum),
              reduces(most)));
    if (!together) add(settle(Next{}, scalars.back(), sum, most));
  }
  if (together) add(settle_each(Next{}, scalars, reductions));
  run(Program(items), {.times = 9});
  std::vector<double> all;
  for (int k = 0; k < kSystems; ++k) {
    const auto s = scalars[static_cast<std::size_t>(k)].value();
    all.insert(all.end(), s.begin(), s.end());
    EXPECT_EQ(s[1], 9);
  }
  return all;
}

TEST(Scalars, OfSeveralSystemsAreSettledAtOnce) {
  const auto alone = several("", false);
  EXPECT_EQ(several("", true), alone);
  EXPECT_EQ(several("mpi", true), alone);
  EXPECT_EQ(several("", true, true), alone);
  EXPECT_EQ(several("mpi", true, true), alone);
  EXPECT_NE(alone[0], alone[2]);
  Scalars<2> s(test::world(), "s");
  EXPECT_THROW(s.part<2>(1), Error);
  Sum<double> sum(test::world(), "sum");
  Max<double> most(test::world(), "most");
  EXPECT_THROW(settle_each(Next{}, std::vector{s, s}, std::vector{std::tuple(sum, most)}), Error);
}

// A graph on GPUs that need no host between them, threads that stay on the host.
TEST(Scalars, AreSettledByWhatStays) {
  constexpr int kSteps = 14;
  const bool cuda = test::device().cuda();
  if (cuda && (test::world().nodes() > 1 || !test::world().settings().channel.empty()))
    GTEST_SKIP() << "no graph over nodes or messages";
  EXPECT_EQ(solved(cuda ? "graph" : "resident", true, kSteps), solved("eager", true, kSteps));
}

} // namespace
} // namespace tasuki
