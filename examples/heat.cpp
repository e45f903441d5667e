// Heat in a periodic box, three dimensions: one wave of temperature decays as a formula says.
//
//   mpirun -n 4 ./heat            every option of Tasuki is an option of this program: --halo 4, --executor overlapped ..
//
// A step is u += r (the sum of six neighbours - 6 u), so a product of three sines of wave number k shrinks by
// 1 - 12 r sin^2(k / 2) in each: what is left after all steps is held against that power.
#include <tasuki/tasuki.hpp>

#include <cmath>
#include <cstdio>
namespace ts = tasuki;

constexpr long kCells = 48, kSteps = 400;
constexpr double kRate = 0.1, kTurn = 6.283185307179586 / kCells;

struct Start {
  TS_CELL void operator()(auto c, auto u) const {
    u(c) = sin(kTurn * (c[0] + 0.5)) * sin(kTurn * (c[1] + 0.5)) * sin(kTurn * (c[2] + 0.5));
  }
};

struct Spread {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    const double around =
        u(c, -1, 0, 0) + u(c, 1, 0, 0) + u(c, 0, -1, 0) + u(c, 0, 1, 0) + u(c, 0, 0, -1) + u(c, 0, 0, 1);
    v(c) = u(c) + kRate * (around - 6 * u(c));
  }
};

struct Largest {
  TS_CELL void operator()(auto c, auto u, auto largest) const { largest(c, u(c)); }
};

int main(int argc, char** argv) {
  ts::World world(argc, argv);
  ts::Grid<3> grid(world, {kCells, kCells, kCells}, {.halo = 1, .periodic = true});
  ts::Field<double> u(grid, "u"), v(grid, "v");
  ts::Max<double> largest(world, "largest");
  const auto look = ts::sweep(Largest{}, grid.all(), ts::reads(u), ts::reduces(largest));

  ts::run(ts::sweep(Start{}, grid.all(), ts::writes(u)));
  ts::run(look);
  const double before = largest.value(); // of all ranks, so all ranks ask
  const auto spread = ts::sweep(Spread{}, grid.all(), ts::reads(u, ts::star(1)), ts::writes(v));
  ts::run(ts::program(spread, ts::swap(u, v)), {.times = kSteps});
  ts::run(look);
  const double left = largest.value() / before;
  const double expected = std::pow(1 - 12 * kRate * std::pow(std::sin(kTurn / 2), 2), kSteps);

  if (world.rank() == 0) std::printf("%.10f of the wave is left, the formula says %.10f\n", left, expected);
  return std::abs(left / expected - 1) < 1e-10 ? 0 : 1;
}
