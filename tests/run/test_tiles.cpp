// Kernels of many steps against one step after another, bit for bit: random grids, borders that differ between the
// memories of a swap, coefficients, cells of several numbers. On a GPU; the host's own is in test_resident_host.cpp.
#include <tasuki/run/run.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

namespace tasuki {
namespace {

using test::Random;
using test::world;

TS_CELL float noise(long n) { return static_cast<float>(n * 7919 % 1009) / 1009.0f; }

// The two memories begin with different numbers, at their borders too.
struct Scatter {
  TS_CELL void operator()(auto c, auto u, auto v, auto k) const {
    const long n = c[0] + 131 * c[1];
    u(c) = noise(n);
    v(c) = noise(n + 5);
    k(c) = noise(n + 11);
  }
};
struct Spread { // corners and a coefficient
  TS_CELL void operator()(auto c, auto u, auto k, auto v, auto most) const {
    v(c) = k(c) * (u(c, -1, 0) + u(c, 1, 0)) + 0.3f * (u(c, 0, -1) - u(c, 0, 1)) + 0.1f * u(c, 1, -1) +
           0.25f * u(c);
    most(c, v(c));
  }
};
struct Wide { // two cells away
  TS_CELL void operator()(auto c, auto u, auto k, auto v, auto most) const {
    v(c) =
        k(c) * u(c, -2, 0) + 0.3f * u(c, 0, 2) + 0.2f * u(c, 2, 0) + 0.15f * u(c, 0, -2) + 0.1f * u(c, 0, -1);
    most(c, v(c));
  }
};
struct Carry { // a coefficient that is read beside the cell
  TS_CELL void operator()(auto c, auto u, auto k, auto v, auto most) const {
    v(c) = k(c, -1, 0) * u(c, 1, 0) + k(c, 0, 1) * u(c, 0, -1) + 0.2f * k(c, 1, 0) * u(c);
    most(c, v(c));
  }
};
struct Scatter3 {
  TS_CELL void operator()(auto c, auto u, auto v, auto k) const {
    const long n = c[0] + 131 * c[1] + 1009 * c[2];
    for (int m = 0; m < 2; ++m) {
      u[m](c) = noise(n + m);
      v[m](c) = noise(n + 5 * m);
    }
    k(c) = noise(n + 11);
  }
};
struct Spread3 { // two numbers a cell, in space
  TS_CELL void operator()(auto c, auto u, auto k, auto v, auto most) const {
    const double here =
        0.2 * (u[0](c, 0, 0, -1) + u[0](c, 0, 0, 1)) + 0.1 * (u[1](c, 0, -1, 0) + u[1](c, 0, 1, 0));
    v[0](c) = here + k(c) * u[1](c, -1, 0, 0);
    v[1](c) = 0.5 * u[0](c, 1, 0, 0) - here + 0.1 * u[1](c, 0, 1, 1);
    most(c, v[0](c));
  }
};

struct Scatter1 {
  TS_CELL void operator()(auto c, auto u, auto v, auto k) const {
    const long n = c[0] + 131 * c[1] + 1009 * c[2];
    u(c) = noise(n);
    v(c) = noise(n + 5);
    k(c) = noise(n + 11);
  }
};
struct Spread1 { // one number a cell, in space: tiles that move along z
  TS_CELL void operator()(auto c, auto u, auto k, auto v, auto most) const {
    v(c) = k(c) * (u(c, -1, 0, 0) + u(c, 1, 0, 0)) + 0.2f * (u(c, 0, -1, 0) - u(c, 0, 1, 0)) +
           0.1f * u(c, 0, 0, -1) + 0.25f * u(c, 0, 0, 1) + 0.05f * u(c, 1, -1, 0) + 0.1f * u(c, -1, 1, 1) +
           0.0001f * static_cast<float>(c[0] % 5);
    most(c, v(c));
  }
};

struct Recipe {
  int dims;
  long n[3];
  bool periodic[3], wide, carried, single;
  int halo;
  long steps;
};
std::ostream& operator<<(std::ostream& out, const Recipe& r) {
  out << r.dims << "-D";
  for (int a = 0; a < r.dims; ++a) out << ' ' << r.n[a] << (r.periodic[a] ? "p" : "");
  return out << (r.single    ? r.wide ? ", one double a cell" : ", one float a cell"
                 : r.wide    ? ", two cells away"
                 : r.carried ? ", coefficients beside the cell"
                             : "")
             << ", halo " << r.halo << ", steps " << r.steps;
}

struct Outcome {
  std::vector<double> cells;
  double most;
};

template <class T>
void add(std::vector<double>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

template <class Cell, bool Here = true>
Outcome flat(World& made, const Recipe& r) {
  Grid<2> grid(made, {r.n[0], r.n[1]}, {.halo = r.wide ? 2 : 1, .periodic = {r.periodic[0], r.periodic[1]}});
  Field<float> u(grid, "u"), v(grid, "v"), k(grid, "k");
  Max<float> most(made, "most");
  run(sweep(Scatter{}, grid.all(), writes(u), writes(v), writes(k)));
  const int reach = r.wide ? 2 : 1;
  Region<2> region = grid.all();
  for (int a = 0; a < 2; ++a)
    if (!r.periodic[a]) {
      region.box.lo[a] = reach;
      region.box.hi[a] = r.n[a] - reach;
    }
  const auto step = [&] {
    if constexpr (Here)
      return sweep(Cell{}, region, reads(u, box(reach)), reads(k), writes(v), reduces(most));
    else
      return sweep(Cell{}, region, reads(u, box(reach)), reads(k, star(1)), writes(v), reduces(most));
  }();
  run(program(step, swap(u, v)), {.times = r.steps});
  Outcome o{{}, most.value()};
  add(o.cells, u.to_host());
  add(o.cells, v.to_host());
  return o;
}

Outcome solid(World& made, const Recipe& r) {
  Grid<3> grid(made, {r.n[0], r.n[1], r.n[2]},
               {.halo = 1, .periodic = {r.periodic[0], r.periodic[1], r.periodic[2]}});
  Field<double[2]> u(grid, "u"), v(grid, "v");
  Field<double> k(grid, "k");
  Max<double> most(made, "most");
  run(sweep(Scatter3{}, grid.all(), writes(u), writes(v), writes(k)));
  Region<3> region = grid.all();
  for (int a = 0; a < 3; ++a)
    if (!r.periodic[a]) {
      region.box.lo[a] = 1;
      region.box.hi[a] = r.n[a] - 1;
    }
  run(program(sweep(Spread3{}, region, reads(u, edges(1)), reads(k), writes(v), reduces(most)), swap(u, v)),
      {.times = r.steps});
  Outcome o{{}, most.value()};
  add(o.cells, u.to_host());
  add(o.cells, v.to_host());
  return o;
}

template <class T>
Outcome solid_single(World& made, const Recipe& r) {
  Grid<3> grid(made, {r.n[0], r.n[1], r.n[2]},
               {.halo = r.halo, .periodic = {r.periodic[0], r.periodic[1], r.periodic[2]}});
  Field<T> u(grid, "u"), v(grid, "v"), k(grid, "k");
  Max<T> most(made, "most");
  run(sweep(Scatter1{}, grid.all(), writes(u), writes(v), writes(k)));
  Region<3> region = grid.all();
  for (int a = 0; a < 3; ++a)
    if (!r.periodic[a]) {
      region.box.lo[a] = 1;
      region.box.hi[a] = r.n[a] - 1;
    }
  run(program(sweep(Spread1{}, region, reads(u, box(1)), reads(k), writes(v), reduces(most)), swap(u, v)),
      {.times = r.steps});
  Outcome o{{}, static_cast<double>(most.value())};
  add(o.cells, u.to_host());
  add(o.cells, v.to_host());
  return o;
}

Outcome cook(const char* executor, const Recipe& r) {
  const auto made = test::world_with([&](Settings& s) {
    s.executor = executor;
    s.channel = "";
    s.halo = r.halo;
    s.ranks.clear();
  });
  if (r.dims == 3 && r.single) return r.wide ? solid_single<double>(*made, r) : solid_single<float>(*made, r);
  if (r.dims == 3) return solid(*made, r);
  if (r.carried) return flat<Carry, false>(*made, r);
  return r.wide ? flat<Wide>(*made, r) : flat<Spread>(*made, r);
}

TEST(Tiles, DoManyStepsAsOneAfterAnother) {
  if (!test::device().cuda()) GTEST_SKIP() << "tiles are of a GPU";
  Random random = test::random(1);
  const auto pick = [&](long low, long high) { return test::pick(random, low, high); };
  int done = 0;
  for (int round = 0; round < 40 && !test::any_rank(testing::Test::HasFailure()); ++round) {
    Recipe r{};
    r.dims = static_cast<int>(pick(2, 3));
    r.single = r.dims == 3 && pick(0, 2) > 0;
    for (int a = 0; a < 3; ++a) {
      r.n[a] = r.single ? pick(20, 150) : r.dims == 3 ? pick(20, 70) : pick(24, 700);
      r.periodic[a] = pick(0, 1);
    }
    r.wide = r.dims == 2 ? pick(0, 2) == 0 : r.single && pick(0, 1) == 0; // in space: numbers of 8 bytes
    r.carried = r.dims == 2 && !r.wide && pick(0, 1) == 0;
    r.halo = static_cast<int>(pick(r.wide ? 2 : 1, 6));
    r.steps = pick(3, 40);
    std::ostringstream text;
    text << r << "; TASUKI_TEST_SEED=" << test::seed() << ", " << world().size() << " ranks";
    SCOPED_TRACE(text.str());
    const Outcome due = cook("eager", r);
    for (const char* executor : {"blocked", "resident"}) {
      SCOPED_TRACE(executor);
      try {
        const Outcome got = cook(executor, r);
        EXPECT_EQ(got.cells, due.cells);
        EXPECT_EQ(got.most, due.most);
        ++done;
      } catch (const Error& fault) { // blocks that do not fit, or halos too narrow for two steps
        if (std::string(fault.what()).find("cannot do this program") == std::string::npos) throw;
      }
    }
  }
  EXPECT_GT(done, 20);
}

// Obstacles: a cell function that leaves some of its cells as they are, and those of the two memories differ. It should declare
// updates(), but users forget it, and a result that depends on the executor would be hard to find.
struct Around {
  TS_CELL void operator()(auto c, auto u, auto solid, auto v) const {
    if (solid(c) > 0.6f) return;
    v(c) = 0.3f * (u(c, -1, 0) + u(c, 1, 0)) + 0.2f * (u(c, 0, -1) + u(c, 0, 1));
  }
};
struct Around3 {
  TS_CELL void operator()(auto c, auto u, auto solid, auto v) const {
    if (solid(c) > 0.6f) return;
    v(c) = 0.2f * (u(c, -1, 0, 0) + u(c, 1, 0, 0)) + 0.15f * (u(c, 0, -1, 0) + u(c, 0, 1, 0)) +
           0.1f * (u(c, 0, 0, -1) + u(c, 0, 0, 1));
  }
};

TEST(Tiles, LeaveUnwrittenWhatTheCellFunctionDoesNotWrite) {
  const auto flat = [](const char* executor, bool periodic) {
    const auto made = test::world_with([&](Settings& s) {
      s.executor = executor;
      s.channel = "";
      s.halo = 5;
    });
    Grid<2> grid(*made, {213, 170}, {.halo = 5, .periodic = {periodic, true}});
    Field<float> u(grid, "u"), v(grid, "v"), k(grid, "k");
    run(sweep(Scatter{}, grid.all(), writes(u), writes(v), writes(k)));
    run(program(sweep(Around{}, grid.inner(1), reads(u, star(1)), reads(k), writes(v)), swap(u, v)),
        {.times = 37});
    Outcome o{{}, 0};
    add(o.cells, u.to_host());
    add(o.cells, v.to_host());
    return o.cells;
  };
  const auto solid = [](const char* executor, bool periodic) {
    const auto made = test::world_with([&](Settings& s) {
      s.executor = executor;
      s.channel = "";
      s.halo = 3;
    });
    Grid<3> grid(*made, {71, 60, 33}, {.halo = 3, .periodic = {periodic, true, true}});
    Field<float> u(grid, "u"), v(grid, "v"), k(grid, "k");
    run(sweep(Scatter1{}, grid.all(), writes(u), writes(v), writes(k)));
    run(program(sweep(Around3{}, grid.inner(1), reads(u, star(1)), reads(k), writes(v)), swap(u, v)),
        {.times = 37});
    Outcome o{{}, 0};
    add(o.cells, u.to_host());
    add(o.cells, v.to_host());
    return o.cells;
  };
  int done = 0;
  for (const bool periodic : {false, true})
    for (const auto& cook : {std::function<std::vector<double>(const char*, bool)>(flat),
                             std::function<std::vector<double>(const char*, bool)>(solid)}) {
      const auto due = cook("eager", periodic);
      for (const char* executor : {"overlapped", "graph", "blocked", "resident", "auto"}) {
        SCOPED_TRACE(executor);
        try {
          EXPECT_EQ(cook(executor, periodic), due);
          ++done;
        } catch (const Error& fault) {
          const std::string what = fault.what();
          if (what.find("cannot do this program") == std::string::npos &&
              what.find("needs a GPU") == std::string::npos)
            throw;
        }
      }
    }
  EXPECT_GE(done, 8);
}

struct Smooth {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    v(c) = 0.25f * (u(c, -1, 0) + u(c, 1, 0) + u(c, 0, -1) + u(c, 0, 1));
  }
};

// Its sweeps may have been compiled for GPUs, and no driver may be there to ask.
TEST(Tiles, OfPassesAreRefusedWhereCellsLiveOnTheHost) {
  const auto smoothed = [](const char* executor) {
    const auto made = test::world_with([&](Settings& s) {
      s.device = "host";
      s.executor = executor;
      s.channel = "";
    });
    Grid<2> grid(*made, {40, 30}, {.halo = 1, .periodic = {true, true}});
    Field<float> u(grid, "u"), v(grid, "v"), k(grid, "k");
    run(sweep(Scatter{}, grid.all(), writes(u), writes(v), writes(k)));
    const auto step = program(sweep(Smooth{}, grid.all(), reads(u, star(1)), writes(v)), swap(u, v));
    run(step, {.times = 1100}); // long enough for a trial
    return u.to_host();
  };
  try {
    smoothed("blocked");
    FAIL() << "it was not refused";
  } catch (const Error& fault) {
    EXPECT_NE(std::string(fault.what()).find("needs a GPU"), std::string::npos) << fault.what();
  }
  EXPECT_EQ(smoothed("auto"), smoothed("eager"));
}

} // namespace
} // namespace tasuki
