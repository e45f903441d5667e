// A sound wave that meets a slower disc and is focused behind it: u_tt = c^2 (u_xx + u_yy), leapfrog, two dimensions.
//
//   mpirun -n 4 ./wave            leaves wave.h5 and wave.xmf, the last state, for ParaView or `tasuki plot`
//
// The scheme keeps an energy: sums of squares of the change and of products of slopes now and before. Its drift is
// printed, and is rounding.
#include <tasuki/tasuki.hpp>

#include <cmath>
#include <cstdio>
namespace ts = tasuki;

constexpr long kX = 320, kY = 240, kSteps = 420;

struct Start { // a flat pulse near the left end; a disc where waves travel at 0.6 of their speed
  TS_CELL void operator()(auto c, auto u, auto before, auto speed2) const {
    const double x = c[0] - 40.0, dx = c[0] - 150.0, dy = c[1] - kY / 2.0;
    const bool rim = c[0] == 0 || c[0] == kX - 1 || c[1] == 0 || c[1] == kY - 1;
    u(c) = rim ? 0 : exp(-x * x / 60);
    before(c) = rim ? 0 : exp(-(x + 0.5) * (x + 0.5) / 60); // it moves to the right
    speed2(c) = dx * dx + dy * dy < 50.0 * 50.0 ? 0.36 * 0.25 : 0.25;
  }
};

struct Step { // of `before` the next state is made in place
  TS_CELL void operator()(auto c, auto u, auto speed2, auto before) const {
    const double around = u(c, -1, 0) + u(c, 1, 0) + u(c, 0, -1) + u(c, 0, 1);
    before(c) = 2 * u(c) - before(c) + speed2(c) * (around - 4 * u(c));
  }
};

struct
    Energy { // of the links to the left and downwards, at the far rims of all four, and of the cell's own change
  TS_CELL void operator()(auto c, auto u, auto before, auto speed2, auto energy) const {
    const double change = u(c) - before(c);
    double links = (u(c) - u(c, -1, 0)) * (before(c) - before(c, -1, 0)) +
                   (u(c) - u(c, 0, -1)) * (before(c) - before(c, 0, -1));
    if (c[0] == kX - 2) links += (u(c, 1, 0) - u(c)) * (before(c, 1, 0) - before(c));
    if (c[1] == kY - 2) links += (u(c, 0, 1) - u(c)) * (before(c, 0, 1) - before(c));
    energy(c, change * change / speed2(c) + links);
  }
};

int main(int argc, char** argv) {
  ts::World world(argc, argv);
  ts::Grid<2> grid(world, {kX, kY}, {.halo = 1});
  ts::Field<double> u(grid, "u"), before(grid, "before"), speed2(grid, "speed2");
  ts::Sum<double> energy(world, "energy");
  // The rim is 0 for ever.
  const auto weigh = ts::sweep(Energy{}, grid.inner(1), ts::reads(u, ts::star(1)),
                               ts::reads(before, ts::star(1)), ts::reads(speed2), ts::reduces(energy));
  const auto step = ts::program(
      ts::sweep(Step{}, grid.inner(1), ts::reads(u, ts::star(1)), ts::reads(speed2), ts::updates(before)),
      ts::swap(u, before));

  ts::run(ts::sweep(Start{}, grid.all(), ts::writes(u), ts::writes(before), ts::writes(speed2)));
  ts::run(weigh);
  const double first = energy.value();
  ts::run(step, {.times = kSteps});
  ts::run(weigh);
  const double drift = energy.value() / first - 1;
  if (world.rank() == 0) std::printf("energy %.6f, within %.0e after %ld steps\n", first, 1e-12, kSteps);
  ts::snapshot("wave.h5", kSteps, u);
  return std::abs(drift) < 1e-12 ? 0 : 1;
}
