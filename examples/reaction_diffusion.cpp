// Two substances that react and spread grow spots: the equations of Gray and Scott.
//
//   u_t = 0.16 (sum of four - 4 u) - u v^2 + F (1 - u),   v_t = 0.08 (sum of four - 4 v) + u v^2 - (F + K) v
//
// J. Pearson, Complex patterns in a simple system, Science 261 (1993) 189.
//
//   mpirun -n 4 ./reaction_diffusion     leaves spots.h5 and spots.xmf
#include <tasuki/tasuki.hpp>

#include <cstdio>
namespace ts = tasuki;

constexpr long kSide = 192, kSteps = 8000;
constexpr double kFeed = 0.035, kKill = 0.065;

struct Start { // u everywhere, and four squares of v
  TS_CELL void operator()(auto c, auto u, auto v) const {
    const long x = c[0] % (kSide / 2), y = c[1] % (kSide / 2);
    const bool seeded = x > 38 && x < 58 + c[0] / 40 && y > 36 && y < 56 + c[1] / 60;
    u(c) = seeded ? 0.5 : 1.0;
    v(c) = seeded ? 0.25 : 0.0;
  }
};

TS_CELL double spread(auto c, auto u) {
  return u(c, -1, 0) + u(c, 1, 0) + u(c, 0, -1) + u(c, 0, 1) - 4 * u(c);
}

struct React {
  TS_CELL void operator()(auto c, auto u, auto v, auto u_next, auto v_next) const {
    const double uvv = u(c) * v(c) * v(c);
    u_next(c) = u(c) + 0.16 * spread(c, u) - uvv + kFeed * (1 - u(c));
    v_next(c) = v(c) + 0.08 * spread(c, v) + uvv - (kFeed + kKill) * v(c);
  }
};

struct Count { // cells of spots, and what there is of v
  TS_CELL void operator()(auto c, auto v, auto spots, auto total) const {
    spots(c, v(c) > 0.2 ? 1 : 0);
    total(c, v(c));
  }
};

int main(int argc, char** argv) {
  ts::World world(argc, argv);
  ts::Grid<2> grid(world, {kSide, kSide}, {.halo = 1, .periodic = true});
  ts::Field<double> u(grid, "u"), v(grid, "v"), u_next(grid, "u next"), v_next(grid, "v next");
  ts::Sum<long> spots(world, "spots");
  ts::Sum<double> total(world, "total");

  ts::run(ts::sweep(Start{}, grid.all(), ts::writes(u), ts::writes(v)));
  const auto react = ts::sweep(React{}, grid.all(), ts::reads(u, ts::star(1)), ts::reads(v, ts::star(1)),
                               ts::writes(u_next), ts::writes(v_next));
  ts::run(ts::program(react, ts::swap(u, u_next), ts::swap(v, v_next)), {.times = kSteps});
  ts::run(ts::sweep(Count{}, grid.all(), ts::reads(v), ts::reduces(spots), ts::reduces(total)));

  const long covered = spots.value();
  const double sum = total.value(); // the same bits on any number of ranks
  if (world.rank() == 0) std::printf("spots on %ld of %ld cells, %.12g of v\n", covered, kSide * kSide, sum);
  ts::snapshot("spots.h5", kSteps, v);
  return covered > kSide * kSide / 50 && covered < kSide * kSide / 2 ? 0
                                                                     : 1; // neither died out nor everywhere
}
