// A dam breaks in a square basin: the shallow-water equations, by the scheme of Lax and Friedrichs. No water is lost.
//
//   h_t + (hu)_x + (hv)_y = 0,  (hu)_t + (hu^2/h + g h^2/2)_x + (hu hv/h)_y = 0, and the same for hv
//
// One field of three numbers a cell holds depth and momenta: water[0] is h, water[1] hu, water[2] hv. A wall is a mirror: the
// cell before it sees itself there, with the momentum across the wall turned round.
//
//   mpirun -n 4 ./shallow_water     leaves depth.h5 and depth.xmf
#include <tasuki/tasuki.hpp>

#include <cmath>
#include <cstdio>
namespace ts = tasuki;

constexpr long kSide = 202, kSteps = 600;       // a rim of cells that nobody reads lies round the basin
constexpr double kGravity = 9.81, kStep = 0.05; // of time; a cell is 1 wide

struct Start {
  TS_CELL void operator()(auto c, auto water) const {
    const double x = c[0] - 61.0, y = c[1] - 81.0;
    water[0](c) = x * x + y * y < 30.0 * 30.0 ? 3.0 : 1.0;
    water[1](c) = 0;
    water[2](c) = 0;
  }
};

struct State {
  double h, along, across; // depth, momentum along the axis of a flux, and across it
};

struct Step {
  TS_CELL static State state(auto c, auto water, int x, int y) {
    const long at = x != 0 ? c[0] + x : c[1] + y; // along the axis that is looked along
    const int turned = x != 0 ? 1 : 2;
    if (at == 0 || at == kSide - 1) return {water[0](c), -water[turned](c), water[3 - turned](c)};
    return {water[0](c, x, y), water[turned](c, x, y), water[3 - turned](c, x, y)};
  }
  TS_CELL static State flux(const State& s) {
    return {s.along, s.along * s.along / s.h + 0.5 * kGravity * s.h * s.h, s.along * s.across / s.h};
  }
  TS_CELL void operator()(auto c, auto now, auto next) const {
    const State l = state(c, now, -1, 0), r = state(c, now, 1, 0), d = state(c, now, 0, -1),
                u = state(c, now, 0, 1);
    const State fl = flux(l), fr = flux(r), fd = flux(d), fu = flux(u);
    constexpr double half = 0.5 * kStep;
    next[0](c) = 0.25 * ((l.h + r.h) + (d.h + u.h)) - half * ((fr.h - fl.h) + (fu.h - fd.h));
    next[1](c) = 0.25 * ((l.along + r.along) + (d.across + u.across)) -
                 half * ((fr.along - fl.along) + (fu.across - fd.across));
    next[2](c) = 0.25 * ((l.across + r.across) + (d.along + u.along)) -
                 half * ((fr.across - fl.across) + (fu.along - fd.along));
  }
};

struct Measure {
  TS_CELL void operator()(auto c, auto water, auto depth, auto volume, auto deepest) const {
    depth(c) = water[0](c);
    volume(c, water[0](c));
    deepest(c, water[0](c));
  }
};

int main(int argc, char** argv) {
  ts::World world(argc, argv);
  ts::Grid<2> grid(world, {kSide, kSide}, {.halo = 1});
  ts::Field<double[3]> water(grid, "water"), next(grid, "next");
  ts::Field<double> depth(grid, "depth");
  ts::Sum<double> volume(world, "volume");
  ts::Max<double> deepest(world, "deepest");
  const auto basin = grid.inner(1);
  const auto step = ts::program(ts::sweep(Step{}, basin, ts::reads(water, ts::star(1)), ts::writes(next)),
                                ts::swap(water, next));
  const auto measure = ts::sweep(Measure{}, basin, ts::reads(water), ts::writes(depth), ts::reduces(volume),
                                 ts::reduces(deepest));

  ts::run(ts::sweep(Start{}, grid.all(), ts::writes(water)));
  ts::run(measure);
  const double first = volume.value();
  ts::run(step, {.times = kSteps});
  ts::run(measure);
  const double kept = volume.value() / first, most = deepest.value();
  if (world.rank() == 0)
    std::printf("%.0f of water, all but %.0e of it after %ld steps, %.6f at the deepest\n", first, 1e-12,
                kSteps, most);
  ts::snapshot("depth.h5", kSteps, depth);
  return std::abs(kept - 1) < 1e-12 && most > 1 && most < 3 ? 0 : 1;
}
