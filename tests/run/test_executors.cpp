// Three programs against plain serial loops, bit for bit: on every executor, every channel, every depth of halo, however
// many ranks this runs on.
#include <tasuki/base/executors.hpp>
#include <tasuki/run/run.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace tasuki {
namespace {

using test::world;

struct Setup {
  const char* executor;
  const char* channel;
  int halo, threads;
};
std::ostream& operator<<(std::ostream& out, const Setup& s) {
  return out << "--executor " << s.executor << " --channel '" << s.channel << "' --halo " << s.halo
             << " --threads " << s.threads << " on " << world().size() << " ranks";
}

constexpr unsigned long kSmallDevice = 640ul << 10; // bytes: several slabs of most programs

// A graph needs halos that travel without the thread that launches.
bool can_be_a_graph(const std::string& channel) {
  return world().nodes() == 1 && channel.find("mpi") == std::string::npos;
}

// Calls visit(world, setup) for everything that can be chosen.
template <class Visit>
void for_setups(const Visit& visit) {
  for (const ExecutorRow& row : kExecutors)
    for (const char* channel : {"", "mpi", "x=peer,y=mpi", "x-=mpi,y+=mpi"})
      for (const int halo : {1, 2, 3, 4}) {
        if (world().size() > 4 && (halo == 2 || halo == 3))
          continue; // many ranks on few cores take their time
        if (world().nodes() > 1 && std::string(channel).find("peer") != std::string::npos) continue;
        if (row.gpus_only && !test::device().cuda()) continue;
        if (row.kind == ExecutorKind::graph && !can_be_a_graph(channel)) continue;
        if (row.kind == ExecutorKind::streamed &&
            (halo == 3 || std::string(channel).find("-=") != std::string::npos))
          continue; // its exchanges are those of eager
        const Setup setup{row.name, channel, halo, halo == 2 ? 2 : 1};
        const auto made = test::world_with([&](Settings& s) {
          s.executor = row.name;
          s.channel = channel;
          s.halo = halo;
          s.threads = setup.threads;
          s.ranks.clear();
          if (row.kind == ExecutorKind::streamed) s.device_memory = kSmallDevice;
        });
        std::ostringstream text;
        text << setup;
        SCOPED_TRACE(text.str());
        try {
          visit(*made);
        } catch (const Error& fault) {
          // Kernels of many steps do programs of one sweep; that they say so is tested elsewhere.
          const bool refused = std::string(fault.what()).find("cannot do this program") != std::string::npos;
          const bool picky = row.kind == ExecutorKind::resident || row.kind == ExecutorKind::blocked;
          if (!refused || !made->template part<Device>().cuda() || !picky) throw;
        }
      }
}

template <class T>
void expect_same_bits(const std::vector<T>& got, const std::vector<T>& expected, const char* what) {
  if (world().rank() != 0) return;
  ASSERT_EQ(got.size(), expected.size()) << what;
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = got.size(); i-- > 0;)
    if (std::memcmp(&got[i], &expected[i], sizeof(T)) != 0) {
      ++wrong;
      first = i;
    }
  EXPECT_EQ(wrong, 0u) << what << ": the first of them is cell " << first << ", " << got[first] << " and not "
                       << expected[first];
}

// A plain array of the whole grid, periodic where the grid is.
template <class T>
struct Plain {
  long nx, ny, nz = 1;
  std::vector<T> cells = std::vector<T>(static_cast<std::size_t>(nx * ny * nz));
  T& operator()(long x, long y, long z = 0) {
    return cells[static_cast<std::size_t>((x + nx) % nx + nx * ((y + ny) % ny + ny * ((z + nz) % nz)))];
  }
};

// ---- 2-D, double, two stages, corners, coefficients, an accumulated field, a nudge every third step ----

struct BrewInit {
  TS_CELL void operator()(auto c, auto u, auto v, auto k, auto w) const {
    u(c) = v(c) = static_cast<double>((c[0] * 7 + c[1] * 13) % 11) / 11.0;
    k(c) = 0.5 + static_cast<double>((c[0] + 3 * c[1]) % 5) / 10.0;
    w(c) = static_cast<double>(c[0] - c[1]) / 64.0;
  }
};
struct BrewStage {
  TS_CELL void operator()(auto c, auto u, auto k, auto g) const {
    g(c) = k(c, 1, 0) * u(c, -1, 0) - u(c, 0, 1) * u(c, 0, -1) + 0.1 * k(c, 0, -1) * u(c);
  }
};
struct BrewMix {
  TS_CELL void operator()(auto c, auto u, auto g, auto w, auto v) const {
    v(c) = 0.5 * u(c) + 0.03125 * (g(c, -1, -1) * g(c, 1, 1)) + 0.125 * g(c, 1, -1) - 0.0625 * w(c);
    w(c) = 0.75 * w(c) + 0.25 * u(c);
  }
};
struct BrewNudge {
  TS_CELL void operator()(auto c, auto u) const {
    u(c) = u(c) - 0.25 * u(c) * u(c) + 0.001 * static_cast<double>(c[0]);
  }
};

struct Brew {
  static constexpr long nx = 26, ny = 23;
  bool periodic_x, periodic_y;

  void check(World& world, int steps) const {
    Grid<2> grid(world, {nx, ny}, {.halo = 1, .periodic = {periodic_x, periodic_y}});
    Field<double> u(grid, "u"), v(grid, "v"), k(grid, "k"), g(grid, "g"), w(grid, "w");
    run(sweep(BrewInit{}, grid.all(), writes(u), writes(v), writes(k), writes(w)));
    const auto stage = sweep(BrewStage{}, grid.inner(1), reads(u, star(1)), reads(k, star(1)), writes(g));
    const auto mix = sweep(BrewMix{}, grid.inner(2), reads(u), reads(g, box(1)), updates(w), writes(v));
    const auto nudge = sweep(BrewNudge{}, grid.box({0, 5}, {14, 20}), updates(u));
    run(program(stage, mix, swap(u, v), every(3, nudge)), {.times = steps});
    const auto pu = u.gather(), pw = w.gather();
    if (world.rank() != 0) return;

    Plain<double> ru{nx, ny}, rv{nx, ny}, rk{nx, ny}, rg{nx, ny}, rw{nx, ny};
    for (long y = 0; y < ny; ++y)
      for (long x = 0; x < nx; ++x) {
        ru(x, y) = rv(x, y) = static_cast<double>((x * 7 + y * 13) % 11) / 11.0;
        rk(x, y) = 0.5 + static_cast<double>((x + 3 * y) % 5) / 10.0;
        rw(x, y) = static_cast<double>(x - y) / 64.0;
      }
    const auto inner = [&](long width, const auto& visit) {
      const long ex = periodic_x ? 0 : width, ey = periodic_y ? 0 : width;
      for (long y = ey; y < ny - ey; ++y)
        for (long x = ex; x < nx - ex; ++x) visit(x, y);
    };
    for (int s = 1; s <= steps; ++s) {
      inner(1, [&](long x, long y) {
        rg(x, y) = rk(x + 1, y) * ru(x - 1, y) - ru(x, y + 1) * ru(x, y - 1) + 0.1 * rk(x, y - 1) * ru(x, y);
      });
      inner(2, [&](long x, long y) {
        rv(x, y) = 0.5 * ru(x, y) + 0.03125 * (rg(x - 1, y - 1) * rg(x + 1, y + 1)) +
                   0.125 * rg(x + 1, y - 1) - 0.0625 * rw(x, y);
        rw(x, y) = 0.75 * rw(x, y) + 0.25 * ru(x, y);
      });
      std::swap(ru.cells, rv.cells);
      if (s % 3 == 0)
        for (long y = 5; y < 20; ++y)
          for (long x = 0; x < 14; ++x)
            ru(x, y) = ru(x, y) - 0.25 * ru(x, y) * ru(x, y) + 0.001 * static_cast<double>(x);
    }
    for (const double value : ru.cells) ASSERT_TRUE(std::isfinite(value));
    expect_same_bits(pu, ru.cells, "u");
    expect_same_bits(pw, rw.cells, "w");
  }
};

TEST(Executors, TwoStagesInTwoDimensions) {
  for_setups([](World& world) {
    Brew{true, true}.check(world, 11);
    Brew{false, true}.check(world, 11);
    Brew{false, false}.check(world, 11);
  });
}

// ---- 2-D wave: the newest takes the place of the oldest, so a field that is exchanged is updated as well ----

struct WaveInit {
  TS_CELL void operator()(auto c, auto now, auto before) const {
    now(c) = static_cast<float>((c[0] * c[0] + 5 * c[1]) % 17) / 17.0f;
    before(c) = static_cast<float>((c[0] + c[1] * c[1]) % 13) / 13.0f;
  }
};
struct Wave {
  float courant;
  TS_CELL void operator()(auto c, auto now, auto before) const {
    before(c) = 2.0f * now(c) - before(c) +
                courant * (now(c, -1, 0) + now(c, 1, 0) + now(c, 0, -1) + now(c, 0, 1) - 4.0f * now(c));
  }
};

void check_wave(World& world, bool periodic, int steps, long nx = 31, long ny = 27) {
  Grid<2> grid(world, {nx, ny}, {.halo = 1, .periodic = periodic});
  Field<float> now(grid, "now"), before(grid, "before");
  run(sweep(WaveInit{}, grid.all(), writes(now), writes(before)));
  const auto wave = sweep(Wave{0.2f}, grid.inner(1), reads(now, star(1)), updates(before));
  run(program(wave, swap(now, before)), {.times = steps});
  const auto got = now.gather();
  if (world.rank() != 0) return;

  Plain<float> a{nx, ny}, b{nx, ny};
  for (long y = 0; y < ny; ++y)
    for (long x = 0; x < nx; ++x) {
      a(x, y) = static_cast<float>((x * x + 5 * y) % 17) / 17.0f;
      b(x, y) = static_cast<float>((x + y * y) % 13) / 13.0f;
    }
  const long edge = periodic ? 0 : 1;
  for (int s = 0; s < steps; ++s) {
    for (long y = edge; y < ny - edge; ++y)
      for (long x = edge; x < nx - edge; ++x)
        b(x, y) = 2.0f * a(x, y) - b(x, y) +
                  0.2f * (a(x - 1, y) + a(x + 1, y) + a(x, y - 1) + a(x, y + 1) - 4.0f * a(x, y));
    std::swap(a.cells, b.cells);
  }
  for (const float value : a.cells) ASSERT_TRUE(std::isfinite(value));
  expect_same_bits(got, a.cells, "now");
}

TEST(Executors, AWaveThatUpdatesWhatItExchanges) {
  for_setups([](World& world) {
    check_wave(world, true, 12);
    check_wave(world, false, 12);
  });
}

// Large enough that threads share a sweep and ranks fall out of step.
TEST(Executors, AWaveOverManyRows) {
  for_setups([](World& world) {
    if (world.settings().halo % 2 == 0) check_wave(world, true, 20, 300, 200);
  });
}

// ---- 3-D, float: nineteen points, four coefficients a cell, a small struct, periodic in z, an asymmetric reach ----

struct Pair {
  float heat;
  int marks;
};
struct PotInit {
  TS_CELL void operator()(auto c, auto p, auto q, auto a, auto t) const {
    p(c) = q(c) = static_cast<float>((c[0] * 3 + c[1] * 5 + c[2] * 7) % 19) / 19.0f;
    for (int k = 0; k < 4; ++k) a[k](c) = static_cast<float>((c[0] + k * c[1] + c[2]) % 7) / 28.0f;
    t(c) = Pair{0.0f, static_cast<int>(c[0] + c[1] + c[2])};
  }
};
struct Pot {
  TS_CELL void operator()(auto c, auto p, auto a, auto q) const {
    q(c) = a[0](c) * p(c, 1, 0, 0) + a[1](c) * p(c, 0, -1, 0) + a[2](c) * (p(c, 0, 1, 1) - p(c, -1, 0, 1)) +
           a[3](c) * p(c, 1, -1, 0) * p(c, 0, 0, -1) + 0.25f * p(c);
  }
};
struct Stir {
  TS_CELL void operator()(auto c, auto q, auto t) const {
    Pair pair = t(c);
    pair.heat = 0.5f * pair.heat + q(c);
    pair.marks += 1;
    t(c) = pair;
  }
};
struct Drift { // looks two back along x and one ahead along z
  TS_CELL void operator()(auto c, auto t, auto p) const {
    p(c) = 0.5f * p(c) + 0.125f * t(c, -1, 0, 0).heat + static_cast<float>(t(c, 0, 0, 1).marks % 3) / 8.0f;
  }
};

TEST(Executors, CoefficientsAndStructsInThreeDimensions) {
  constexpr long nx = 17, ny = 16, nz = 18, steps = 7;
  Plain<float> rp{nx, ny, nz}, rq{nx, ny, nz},
      ra[4] = {{nx, ny, nz}, {nx, ny, nz}, {nx, ny, nz}, {nx, ny, nz}};
  Plain<Pair> rt{nx, ny, nz};
  const auto each = [&](long edge, const auto& visit) {
    for (long z = 0; z < nz; ++z)
      for (long y = edge; y < ny - edge; ++y)
        for (long x = edge; x < nx - edge; ++x) visit(x, y, z);
  };
  each(0, [&](long x, long y, long z) {
    rp(x, y, z) = rq(x, y, z) = static_cast<float>((x * 3 + y * 5 + z * 7) % 19) / 19.0f;
    for (int k = 0; k < 4; ++k) ra[k](x, y, z) = static_cast<float>((x + k * y + z) % 7) / 28.0f;
    rt(x, y, z) = {0.0f, static_cast<int>(x + y + z)};
  });
  for (long s = 1; s <= steps; ++s) {
    each(1, [&](long x, long y, long z) {
      rq(x, y, z) = ra[0](x, y, z) * rp(x + 1, y, z) + ra[1](x, y, z) * rp(x, y - 1, z) +
                    ra[2](x, y, z) * (rp(x, y + 1, z + 1) - rp(x - 1, y, z + 1)) +
                    ra[3](x, y, z) * rp(x + 1, y - 1, z) * rp(x, y, z - 1) + 0.25f * rp(x, y, z);
    });
    each(0, [&](long x, long y, long z) {
      rt(x, y, z).heat = 0.5f * rt(x, y, z).heat + rq(x, y, z);
      rt(x, y, z).marks += 1;
    });
    std::swap(rp.cells, rq.cells);
    if (s % 2 == 0)
      each(1, [&](long x, long y, long z) {
        rp(x, y, z) = 0.5f * rp(x, y, z) + 0.125f * rt(x - 1, y, z).heat +
                      static_cast<float>(rt(x, y, z + 1).marks % 3) / 8.0f;
      });
  }
  for (const float value : rp.cells) ASSERT_TRUE(std::isfinite(value));

  for_setups([&](World& world) {
    Grid<3> grid(world, {nx, ny, nz}, {.halo = 1, .periodic = {false, false, true}});
    Field<float> p(grid, "p"), q(grid, "q");
    Field<float[4]> a(grid, "a");
    Field<Pair> t(grid, "t");
    run(sweep(PotInit{}, grid.all(), writes(p), writes(q), writes(a), writes(t)));
    const Shape ahead = star({{1, 0}, 0, {0, 1}});
    run(program(sweep(Pot{}, grid.inner({1, 1, 0}), reads(p, edges(1)), reads(a), writes(q)),
                sweep(Stir{}, grid.all(), reads(q), updates(t)), swap(p, q),
                every(2, sweep(Drift{}, grid.inner({1, 1, 0}), reads(t, ahead), updates(p)))),
        {.times = steps});
    expect_same_bits(p.gather(), rp.cells, "p");
    const auto pairs = t.gather();
    if (world.rank() == 0) {
      EXPECT_EQ(std::memcmp(pairs.data(), rt.cells.data(), pairs.size() * sizeof(Pair)), 0) << "t";
    }
  });
}

// ---- 1-D and 4-D: the same program text, whatever the dimensions ----

struct Line {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    v(c) = u(c, -1) * 0.5 + u(c, 1) * 0.25 + u(c) * 0.125;
  }
};
struct LineInit {
  TS_CELL void operator()(auto c, auto u) const { u(c) = static_cast<double>(c[0] * c[0] % 23); }
};

TEST(Executors, OneDimension) {
  constexpr long n = 61;
  constexpr int steps = 9;
  std::vector<double> a(n), b(n);
  for (long x = 0; x < n; ++x) a[x] = static_cast<double>(x * x % 23);
  for (int s = 0; s < steps; ++s) {
    for (long x = 0; x < n; ++x) b[x] = a[(x + n - 1) % n] * 0.5 + a[(x + 1) % n] * 0.25 + a[x] * 0.125;
    std::swap(a, b);
  }
  for_setups([&](World& world) {
    if (world.settings().channel.find('y') != std::string::npos) return; // no such face
    Grid<1> grid(world, {n}, {.halo = 1, .periodic = true});
    Field<double> u(grid, "u"), v(grid, "v");
    run(sweep(LineInit{}, grid.all(), writes(u)));
    run(program(sweep(Line{}, grid.all(), reads(u, star(1)), writes(v)), swap(u, v)), {.times = steps});
    expect_same_bits(u.gather(), a, "u");
  });
}

struct Tess {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    v(c) = 0.5f * u(c, 1, 0, 0, -1) + 0.25f * u(c, 0, -1, 1, 0) - 0.125f * u(c, -1, 1, 0, 1);
  }
};
struct TessInit {
  TS_CELL void operator()(auto c, auto u) const {
    u(c) = static_cast<float>((c[0] + 2 * c[1] + 3 * c[2] + 5 * c[3]) % 29);
  }
};

TEST(Executors, FourDimensions) {
  constexpr long n[4] = {9, 8, 8, 13}; // cut in 2, 3, 4, 6 and 8, a halo of 4 fits
  constexpr int steps = 5;
  const auto at = [&](long x, long y, long z, long t) {
    return static_cast<std::size_t>(
        (x + n[0]) % n[0] +
        n[0] * ((y + n[1]) % n[1] + n[1] * ((z + n[2]) % n[2] + n[2] * ((t + n[3]) % n[3]))));
  };
  std::vector<float> a(n[0] * n[1] * n[2] * n[3]), b(a.size());
  const auto each = [&](const auto& visit) {
    for (long t = 0; t < n[3]; ++t)
      for (long z = 0; z < n[2]; ++z)
        for (long y = 0; y < n[1]; ++y)
          for (long x = 0; x < n[0]; ++x) visit(x, y, z, t);
  };
  each([&](long x, long y, long z, long t) {
    a[at(x, y, z, t)] = static_cast<float>((x + 2 * y + 3 * z + 5 * t) % 29);
  });
  for (int s = 0; s < steps; ++s) {
    each([&](long x, long y, long z, long t) {
      b[at(x, y, z, t)] = 0.5f * a[at(x + 1, y, z, t - 1)] + 0.25f * a[at(x, y - 1, z + 1, t)] -
                          0.125f * a[at(x - 1, y + 1, z, t + 1)];
    });
    std::swap(a, b);
  }
  for_setups([&](World& world) {
    Grid<4> grid(world, {n[0], n[1], n[2], n[3]}, {.halo = 1, .periodic = true});
    Field<float> u(grid, "u"), v(grid, "v");
    run(sweep(TessInit{}, grid.all(), writes(u)));
    run(program(sweep(Tess{}, grid.all(), reads(u, box(1)), writes(v)), swap(u, v)), {.times = steps});
    expect_same_bits(u.gather(), a, "u");
  });
}

} // namespace
} // namespace tasuki
