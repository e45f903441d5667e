// Exchanges stand where validity falls short, and nowhere else: planned steps are counted, nothing is run unless a test
// says so. Grids are periodic, so that one rank exchanges as many do.
#include <tasuki/program/plan.hpp>
#include <tasuki/run/run.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

namespace tasuki {
namespace {

using test::world;

struct Relax {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    v(c) = 0.25f * (u(c, -1, 0) + u(c, 1, 0) + u(c, 0, -1) + u(c, 0, 1));
  }
};
struct Weighted {
  TS_CELL void operator()(auto c, auto u, auto k, auto v) const { v(c) = k(c, 1, 0) * u(c, -1, 0); }
};
struct Set {
  TS_CELL void operator()(auto c, auto u) const { u(c) = static_cast<float>(c[0]); }
};
struct Look {
  TS_CELL void operator()(auto c, auto u, auto sum) const { sum(c, u(c)); }
};
struct LookAside {
  TS_CELL void operator()(auto c, auto u, auto sum) const { sum(c, u(c, 1, 0)); }
};
struct Copy {
  TS_CELL void operator()(auto c, auto u, auto v) const { v(c) = u(c); }
};

// The numbers of the steps, from 1, in which something is exchanged; the exchanges of a step.
struct Count {
  std::vector<long> steps;
  std::vector<int> exchanges; // of each step
  std::vector<std::vector<std::string>> fields;
};
Count count(const Program& program, long steps) {
  Count count;
  PlannedStep* last = nullptr;
  for (long s = 1; s <= steps; ++s) {
    last = &program.planner().step(s, last);
    int n = 0;
    std::vector<std::string> fields;
    for (const PlannedOp& op : last->ops) {
      const std::vector<HaloNeed>* needs = nullptr;
      if (const auto* sweep = std::get_if<PlannedSweep>(&op)) needs = &sweep->needs;
      if (const auto* refresh = std::get_if<PlannedRefresh>(&op)) needs = &refresh->needs;
      if (!needs || needs->empty()) continue;
      ++n;
      for (const HaloNeed& need : *needs) fields.push_back(need.field->name());
    }
    count.exchanges.push_back(n);
    count.fields.push_back(fields);
    if (n > 0) count.steps.push_back(s);
  }
  return count;
}

using Steps = std::vector<long>;
using Names = std::vector<std::string>;

struct Plan : testing::Test {
  World& world = *made;
  static void SetUpTestSuite() {
    made = test::world_with([](Settings& s) {
      s.halo = 0;
      s.ranks.clear();
    });
  }
  static void TearDownTestSuite() { made.reset(); }
  Grid<2> periodic(const Halo& halo, long n = 64) {
    return Grid<2>(world, {n, n}, {.halo = halo, .periodic = true});
  }

private:
  static std::unique_ptr<World> made;
};
std::unique_ptr<World> Plan::made;

TEST_F(Plan, HaloOneExchangesEveryStep) {
  const auto grid = periodic(1);
  Field<float> u(grid, "u"), v(grid, "v");
  const auto relax = sweep(Relax{}, grid.all(), reads(u, star(1)), writes(v));
  const Count c = count(program(relax, swap(u, v)), 5);
  EXPECT_EQ(c.exchanges, (std::vector<int>{1, 1, 1, 1, 1}));
  // One field of two is exchanged, by turns named u and v as they trade memories: the one that is read.
  for (const auto& fields : c.fields) EXPECT_EQ(fields, Names{"u"});
}

TEST_F(Plan, HaloFourExchangesEveryFourthStep) {
  const auto grid = periodic(4);
  Field<float> u(grid, "u"), v(grid, "v");
  const auto relax = sweep(Relax{}, grid.all(), reads(u, star(1)), writes(v));
  EXPECT_EQ(count(program(relax, swap(u, v)), 13).steps, (Steps{1, 5, 9, 13}));
}

TEST_F(Plan, HalosOfEveryDepthExchangeAsSeldomAsTheyCan) {
  for (int halo = 1; halo <= 6; ++halo) {
    const auto grid = periodic(halo);
    Field<float> u(grid, "u"), v(grid, "v");
    const auto relax = sweep(Relax{}, grid.all(), reads(u, star(1)), writes(v));
    Steps expected;
    for (long s = 1; s <= 20; s += halo) expected.push_back(s);
    EXPECT_EQ(count(program(relax, swap(u, v)), 20).steps, expected) << "halo " << halo;
    Steps by_two; // a reach of 2 uses the halo up twice as fast
    for (long s = 1; s <= 20; s += halo / 2) {
      if (halo < 2) break;
      by_two.push_back(s);
    }
    if (halo < 2) continue;
    const auto wide = sweep(Relax{}, grid.all(), reads(u, star(2)), writes(v));
    EXPECT_EQ(count(program(wide, swap(u, v)), 20).steps, by_two) << "halo " << halo;
  }
}

TEST_F(Plan, AsymmetricHalosCountTheNarrowerSide) {
  const auto grid = periodic({{2, 4}, {4, 3}});
  Field<float> u(grid, "u"), v(grid, "v");
  const auto both = sweep(Relax{}, grid.all(), reads(u, star(1)), writes(v));
  EXPECT_EQ(count(program(both, swap(u, v)), 7).steps, (Steps{1, 3, 5, 7}));
  // Only above along x: four of those.
  const auto above = sweep(Relax{}, grid.all(), reads(u, star({{0, 1}, 0})), writes(v));
  EXPECT_EQ(count(program(above, swap(u, v)), 9).steps, (Steps{1, 5, 9}));
}

TEST_F(Plan, SweepsThatSetAFieldNeedNoExchangeAndLeaveItsHaloSet) {
  const auto grid = periodic(4);
  Field<float> u(grid, "u"), v(grid, "v");
  const auto relax = sweep(Relax{}, grid.all(), reads(u, star(1)), writes(v));
  const auto start = program(sweep(Set{}, grid.all(), writes(u)), sweep(Set{}, grid.all(), writes(v)));
  EXPECT_EQ(count(start, 3).steps, Steps{});
  run(start);
  EXPECT_EQ(count(program(relax, swap(u, v)), 9).steps, (Steps{5, 9}));
}

TEST_F(Plan, CoefficientsTravelOnce) {
  const auto grid = periodic(1);
  Field<float> u(grid, "u"), v(grid, "v"), k(grid, "k");
  u.touched();
  k.touched();
  const auto step = sweep(Weighted{}, grid.all(), reads(u, star(1)), reads(k, star(1)), writes(v));
  const Count c = count(program(step, swap(u, v)), 4);
  EXPECT_EQ(c.exchanges, (std::vector<int>{1, 1, 1, 1})); // two fields in one exchange
  EXPECT_EQ(c.fields[0], (Names{"u", "k"}));
  for (int s = 1; s < 4; ++s) EXPECT_EQ(c.fields[static_cast<std::size_t>(s)], Names{"u"});
}

TEST_F(Plan, TwoSweepsExchangeWhatEachReads) {
  const auto shallow = periodic(1);
  {
    Field<float> u(shallow, "u"), v(shallow, "v");
    const auto there = sweep(Relax{}, shallow.all(), reads(u, star(1)), writes(v));
    const auto back = sweep(Relax{}, shallow.all(), reads(v, star(1)), writes(u));
    EXPECT_EQ(count(program(there, back), 3).exchanges, (std::vector<int>{2, 2, 2}));
  }
  const auto deep = periodic(2); // the first sweep leaves v valid one deep
  Field<float> u(deep, "u"), v(deep, "v");
  const auto there = sweep(Relax{}, deep.all(), reads(u, star(1)), writes(v));
  const auto back = sweep(Relax{}, deep.all(), reads(v, star(1)), writes(u));
  EXPECT_EQ(count(program(there, back), 3).exchanges, (std::vector<int>{1, 1, 1}));
}

TEST_F(Plan, ReadingACellItselfNeedsNothing) {
  const auto grid = periodic(1);
  Field<float> u(grid, "u"), v(grid, "v");
  Sum<double> sum(world, "sum");
  u.touched();
  const auto copy = sweep(Copy{}, grid.all(), reads(u), writes(v));
  const auto look = sweep(Look{}, grid.all(), reads(u), reduces(sum));
  EXPECT_EQ(count(program(copy, look), 3).steps, Steps{});
}

TEST_F(Plan, WhatIsExchangedOnceServesTheSweepsThatFollow) {
  const auto grid = periodic(1);
  Field<float> u(grid, "u"), v(grid, "v"), w(grid, "w");
  Sum<double> sum(world, "sum");
  u.touched();
  const auto a = sweep(Relax{}, grid.all(), reads(u, star(1)), writes(v));
  const auto b = sweep(Relax{}, grid.all(), reads(u, star(1)), writes(w));
  const auto look = sweep(LookAside{}, grid.all(), reads(u, star({{0, 1}, 0})), reduces(sum));
  EXPECT_EQ(count(program(a, b, look), 3).steps, Steps{1}); // u is not written again
}

TEST_F(Plan, CornersAreFetchedWhenASweepReadsThem) {
  const auto grid = periodic(1);
  Field<float> u(grid, "u"), v(grid, "v");
  u.touched();
  const auto plus = sweep(Relax{}, grid.all(), reads(u, star(1)), writes(v));
  const auto square = sweep(Relax{}, grid.all(), reads(u, box(1)), writes(v));
  const auto steps = program(plus, square, plus);
  const Count c = count(steps, 1);
  EXPECT_EQ(c.exchanges[0], 2); // the star's halo lacks its corners
  std::vector<int> orders;
  for (const PlannedOp& op : steps.planner().step(1, nullptr).ops)
    for (const HaloNeed& need : std::get<PlannedSweep>(op).needs)
      orders.push_back(std::min(need.depth.order, 2));
  EXPECT_EQ(orders, (std::vector<int>{1, 2}));
}

TEST_F(Plan, StepsOfTwoKindsArePlannedApart) {
  const auto grid = periodic(2);
  Field<float> u(grid, "u"), v(grid, "v");
  Sum<double> sum(world, "sum");
  const auto relax = sweep(Relax{}, grid.all(), reads(u, star(1)), writes(v));
  const auto look = sweep(LookAside{}, grid.all(), reads(v, star(1)), reduces(sum));
  Items both = items(relax);
  both.push_back({.what = look});
  // Exchanged in 1; 2 uses the halo up; 3 exchanges, and looks into what is left; 4 uses that up; 5 exchanges; 6 has
  // used it up when it looks, which exchanges what it wrote: good for 7.
  EXPECT_EQ(count(program(every(3, both, relax), swap(u, v)), 7).exchanges,
            (std::vector<int>{1, 0, 1, 0, 1, 1, 0}));
}

TEST_F(Plan, ARegionWrittenLeavesTheRestAsItWas) {
  const auto grid = periodic(1);
  Field<float> u(grid, "u"), v(grid, "v");
  u.touched();
  const auto relax = sweep(Relax{}, grid.all(), reads(u, star(1)), writes(v));
  const auto patch = sweep(Copy{}, grid.box({3, 3}, {9, 9}), reads(v), writes(u));
  EXPECT_EQ(count(program(relax, patch), 4).steps, (Steps{1, 2, 3, 4}));
  // A patch that needs nothing of a halo is done in the halo as well.
  const auto set = sweep(Set{}, grid.box({3, 3}, {9, 9}), writes(u));
  EXPECT_EQ(count(program(relax, set), 4).steps, Steps{1});
}

TEST_F(Plan, UsersMayExchangeThemselves) {
  const auto grid = periodic(2);
  Field<float> u(grid, "u"), v(grid, "v");
  u.touched();
  const auto relax = sweep(Relax{}, grid.all(), reads(u, star(1)), writes(v));
  const Count c = count(program(exchange(u), relax, swap(u, v)), 3);
  EXPECT_EQ(c.exchanges, (std::vector<int>{1, 1, 1})); // theirs, and no other
  const auto step = program(exchange(u, v));
  const auto& op = std::get<PlannedRefresh>(step.planner().step(1, nullptr).ops.at(0));
  ASSERT_EQ(op.needs.size(), 2u);
  for (const HaloNeed& need : op.needs) {
    EXPECT_EQ(need.depth.width[0], Width(2));
    EXPECT_EQ(need.depth.width[1], Width(2));
    EXPECT_GE(need.depth.order, 2);
  }
}

TEST_F(Plan, ACallThatWritesBringsTheExchangeBack) {
  const auto grid = periodic(1);
  Field<float> u(grid, "u"), v(grid, "v");
  u.touched();
  const auto look = sweep(Relax{}, grid.all(), reads(u, star(1)), writes(v));
  const long face_bytes = [&] { // of one exchange over all ranks
    const RunReport report = run(program(look));
    long bytes = 0;
    for (const auto& [name, use] : report.channels) bytes += use.bytes;
    return bytes;
  }();
  ASSERT_GT(face_bytes, 0);
  const auto bytes_of = [&](const Program& steps, long times) {
    long bytes = 0;
    for (const auto& [name, use] : run(steps, {.times = times}).channels) bytes += use.bytes;
    return bytes / face_bytes;
  };
  EXPECT_EQ(bytes_of(program(look), 6), 0); // fresh, and nobody writes it
  EXPECT_EQ(bytes_of(program(call([](long) {}), look), 6), 0);
  // In steps 2, 4 and 6, before the sweep or behind it.
  EXPECT_EQ(bytes_of(program(every(2, call([&](long) { u.touched(); })), look), 6), 3);
  EXPECT_EQ(bytes_of(program(look, every(2, call([&](long) { u.touched(); }))), 6), 2);
  EXPECT_EQ(bytes_of(program(look), 6), 1); // step 6 touched it at last
}

TEST_F(Plan, AnAxisThatIsNeitherCutNorPeriodicExchangesNothing) {
  Grid<2> grid(world, {64, 64}, {.halo = 1, .periodic = false, .ranks = {1, world.size()}});
  Field<float> u(grid, "u"), v(grid, "v");
  const auto relax = sweep(Relax{}, grid.inner(1), reads(u, star(1)), writes(v));
  EXPECT_EQ(count(program(relax, swap(u, v)), 3).steps, world.size() == 1 ? Steps{} : (Steps{1, 2, 3}));
  const auto along = sweep(Relax{}, grid.inner(1), reads(u, star({1, 0})), writes(v));
  EXPECT_EQ(count(program(along, swap(u, v)), 3).steps, Steps{}); // x alone is read, y alone is cut
}

TEST_F(Plan, TheInteriorReadsNoHaloAndRimAndInteriorAreAll) {
  for (const int halo : {1, 2, 3}) {
    const auto grid = periodic(halo, 48);
    Field<float> u(grid, "u"), v(grid, "v");
    const auto relax = sweep(Relax{}, grid.all(), reads(u, star(1)), writes(v));
    const auto steps = program(relax, swap(u, v));
    const auto& planned = std::get<PlannedSweep>(steps.planner().step(1, nullptr).ops.at(0));
    long cells = 0, apart = 0;
    for (const Box& box : planned.boxes) cells += box.cells();
    std::vector<Box> parts = planned.interior;
    parts.insert(parts.end(), planned.rim.begin(), planned.rim.end());
    for (const Box& box : parts) apart += box.cells();
    EXPECT_EQ(apart, cells);
    for (std::size_t i = 0; i < parts.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) EXPECT_TRUE(intersect(parts[i], parts[j]).empty());
    Widths reach{};
    reach.fill(Width(1));
    // Across an axis that is not cut a rank's own halo counts: it is there before the interior is done.
    Widths own{};
    const bool self = world.settings().channel.empty();
    for (int a = 0; a < 2; ++a)
      if (self && grid.core()->cut().ranks[a] == 1) own[a] = grid.core()->halo()[a];
    for (const Box& box : planned.interior)
      EXPECT_TRUE(grow(box_of(2, grid.core()->layout().extents), own).contains(grow(box, reach)));
    const Index n = grid.core()->layout().extents;
    EXPECT_EQ(cells, (n[0] + 2 * (halo - 1)) * (n[1] + 2 * (halo - 1)));
  }
}

// ---- what is refused ----

template <class Make>
std::string refusal(const Make& make) {
  try {
    make();
  } catch (const Error& fault) {
    return fault.what();
  }
  return "nothing was refused";
}

#define EXPECT_REFUSED(what, mend, ...)                                          \
  do {                                                                           \
    const std::string text = refusal([&] { __VA_ARGS__; });                      \
    EXPECT_NE(text.find(what), std::string::npos) << text;                       \
    EXPECT_NE(text.find(std::string("; ") + (mend)), std::string::npos) << text; \
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;                       \
  } while (false)

TEST_F(Plan, RefusesAFieldNamedTwice) {
  const auto grid = periodic(1);
  Field<float> u(grid, "u");
  EXPECT_REFUSED("sweep 'Relax' names field 'u' twice", "use updates()",
                 sweep(Relax{}, grid.all(), reads(u, star(1)), writes(u)));
}

TEST_F(Plan, RefusesAReachBeyondTheHalo) {
  const auto grid = periodic({{1, 2}, {2, 1}});
  Field<float> u(grid, "u"), v(grid, "v");
  const auto reach = [&](const Shape& shape) {
    program(sweep(Relax{}, grid.all(), reads(u, shape), writes(v)));
  };
  EXPECT_REFUSED("sweep 'Relax' reads 'u' 2 away along x but the halo is 1 below and 2 above",
                 "give the grid a wider halo", reach(star(2)));
  EXPECT_REFUSED("2 away along y but the halo is 2 below and 1 above", "give the grid a wider halo",
                 reach(star({{1, 1}, {0, 2}})));
  reach(star({{1, 2}, {2, 1}})); // just fits
}

TEST_F(Plan, RefusesAReachBeyondTheEdge) {
  Grid<2> grid(world, {64, 64}, {.halo = 2, .periodic = {false, true}});
  Field<float> u(grid, "u"), v(grid, "v");
  const auto over = [&](const Region<2>& region, const Shape& shape) {
    program(sweep(Relax{}, region, reads(u, shape), writes(v)));
  };
  EXPECT_REFUSED("sweep 'Relax' reads 'u' 1 away along x, beyond the edge of the grid",
                 "run it over grid.inner(..)", over(grid.all(), star(1)));
  EXPECT_REFUSED("beyond the edge", "run it over grid.inner(..)", over(grid.inner(1), star(2)));
  EXPECT_REFUSED("beyond the edge", "run it over grid.inner(..)", over(grid.box({0, 0}, {8, 8}), star(1)));
  over(grid.inner(1), star(1));
  over(grid.inner(2), star(2));
  over(grid.all(), star({0, 2})); // y is periodic
}

TEST_F(Plan, RefusesTwoGrids) {
  const auto one = periodic(1), other = periodic(1);
  Field<float> u(one, "u"), v(other, "v"), w(one, "w");
  EXPECT_REFUSED("sweep 'Copy' runs over another grid than field 'v' lives on",
                 "take the region from the grid", sweep(Copy{}, one.all(), reads(u), writes(v)));
  EXPECT_REFUSED("a program uses fields of two grids, 'u' and 'v'", "use one program a grid",
                 program(sweep(Set{}, one.all(), writes(u)), sweep(Set{}, other.all(), writes(v))));
  EXPECT_REFUSED("two grids", "use one program a grid", program(swap(u, v)));
}

TEST_F(Plan, RefusesAProgramOfNothing) {
  EXPECT_REFUSED("touches no field", "give it at least one sweep", program(call([](long) {})));
}

} // namespace
} // namespace tasuki
