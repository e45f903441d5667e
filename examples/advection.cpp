// A cloud is carried by a turning wind and thinned out on the way; the run ends by itself when it is thin enough.
//
//   mpirun -n 4 ./advection
//
// Upwind differences, so the scheme thins the cloud as the wind carries it. `until` is looked at every 10 steps: a run ends
// at the same step on any number of ranks.
#include <tasuki/tasuki.hpp>

#include <cmath>
#include <cstdio>
namespace ts = tasuki;

constexpr long kSide = 256;
constexpr double kMiddle = (kSide - 1) / 2.0, kTurn = 0.5 / kMiddle; // cells a step at the rim: 0.5

struct Start {
  TS_CELL void operator()(auto c, auto cloud) const {
    const double x = c[0] - 64.0, y = c[1] - 128.0;
    cloud(c) = exp(-(x * x + y * y) / 200);
  }
};

struct Carry {
  TS_CELL void operator()(auto c, auto now, auto next) const {
    const double u = -kTurn * (c[1] - kMiddle), v = kTurn * (c[0] - kMiddle);
    const double here = now(c);
    const double x = u > 0 ? here - now(c, -1, 0) : now(c, 1, 0) - here;
    const double y = v > 0 ? here - now(c, 0, -1) : now(c, 0, 1) - here;
    next(c) = here - u * x - v * y;
  }
};

struct Look {
  TS_CELL void operator()(auto c, auto cloud, auto thickest) const { thickest(c, cloud(c)); }
};

int main(int argc, char** argv) {
  ts::World world(argc, argv);
  ts::Grid<2> grid(world, {kSide, kSide}, {.halo = 1});
  ts::Field<double> cloud(grid, "cloud"), next(grid, "next");
  ts::MaxPlace<double> thickest(world, "thickest");

  ts::run(ts::sweep(Start{}, grid.inner(1), ts::writes(cloud)));
  const auto carry = ts::sweep(Carry{}, grid.inner(1), ts::reads(cloud, ts::star(1)), ts::writes(next));
  const auto look = ts::sweep(Look{}, grid.inner(1), ts::reads(cloud), ts::reduces(thickest));
  const ts::Until thin = {[&] { return thickest.value().value < 0.4; }, 10};
  const auto report = ts::run(ts::program(carry, ts::swap(cloud, next), ts::every(10, look)),
                              {.times = 10000, .until = thin});

  const auto [most, cell] = thickest.value();
  if (world.rank() == 0)
    std::printf("thinned out to %.6f after %ld steps, the thickest of it is at (%ld, %ld)\n", most,
                report.steps, cell % kSide, cell / kSide);
  return report.reached && most < 0.4 && most > 0.35 ? 0 : 1;
}
