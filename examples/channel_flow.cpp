// A struct of one's own as a cell: a fluid between two plates by the lattice Boltzmann method (D2Q9, BGK).
//
//   mpirun -n 4 ./channel_flow
//
// Each cell holds nine populations. A step collides and streams: a cell pulls from its neighbours what flies towards it.
// Populations that come from a plate are its own, thrown back (half-way bounce back), so the plates lie half a cell
// outside. A steady force drives the fluid to a parabola, whose height is known.
#include <tasuki/tasuki.hpp>

#include <cmath>
#include <cstdio>
namespace ts = tasuki;

constexpr long kLength = 32, kHeight = 34, kSteps = 12000; // the first and last row are plates
constexpr double kTau = 0.9, kForce = 1e-6;

struct Populations {
  double of[9];
};

// Directions: rest, right, up, left, down, and the diagonals between them.
TS_CELL constexpr int x_of(int k) {
  return k == 1 || k == 5 || k == 8 ? 1 : k == 3 || k == 6 || k == 7 ? -1 : 0;
}
TS_CELL constexpr int y_of(int k) {
  return k == 2 || k == 5 || k == 6 ? 1 : k == 4 || k == 7 || k == 8 ? -1 : 0;
}
TS_CELL constexpr int back(int k) { return k == 0 ? 0 : k < 5 ? (k + 1) % 4 + 1 : (k - 3) % 4 + 5; }
TS_CELL constexpr double weight(int k) { return k == 0 ? 4.0 / 9 : k < 5 ? 1.0 / 9 : 1.0 / 36; }

struct Rest {
  TS_CELL void operator()(auto c, auto f) const {
    Populations p{};
    for (int k = 0; k < 9; ++k) p.of[k] = weight(k);
    f(c) = p;
  }
};

struct Step { // f: after collision. unrolled: `for (int k = 0; k < 9; ++k)`, but k is a constant
  TS_CELL void operator()(auto c, auto f, auto next, auto speed) const {
    Populations p{};
    double density = 0, u = 0, v = 0;
    ts::unrolled<9>([&](auto k) {
      const long from = c[1] - y_of(k);
      const bool plate = from == 0 || from == kHeight - 1;
      p.of[k] = plate ? f(c).of[back(k)] : f(c, -x_of(k), -y_of(k)).of[k];
      density += p.of[k];
      u += p.of[k] * x_of(k);
      v += p.of[k] * y_of(k);
    });
    u = (u + 0.5 * kForce) / density; // half of the force's push belongs to this step (Guo)
    v = v / density;
    speed(c) = u;
    ts::unrolled<9>([&](auto k) {
      const double along = x_of(k) * u + y_of(k) * v;
      const double settled =
          weight(k) * density * (1 + 3 * along + 4.5 * along * along - 1.5 * (u * u + v * v));
      const double push = (1 - 0.5 / kTau) * weight(k) * (3 * (x_of(k) - u) + 9 * along * x_of(k)) * kForce;
      p.of[k] += (settled - p.of[k]) / kTau + push;
    });
    next(c) = p;
  }
};

struct Fastest {
  TS_CELL void operator()(auto c, auto speed, auto most) const { most(c, speed(c)); }
};

int main(int argc, char** argv) {
  ts::World world(argc, argv);
  ts::Grid<2> grid(world, {kLength, kHeight}, {.halo = 1, .periodic = {true, false}});
  ts::Field<Populations> f(grid, "f"), next(grid, "next");
  ts::Field<double> speed(grid, "speed");
  ts::Max<double> most(world, "most");
  const auto fluid = grid.box({0, 1}, {kLength, kHeight - 1});

  ts::run(ts::sweep(Rest{}, grid.all(), ts::writes(f)));
  ts::run(ts::program(ts::sweep(Step{}, fluid, ts::reads(f, ts::box(1)), ts::writes(next), ts::writes(speed)),
                      ts::swap(f, next)),
          {.times = kSteps});
  ts::run(ts::sweep(Fastest{}, fluid, ts::reads(speed), ts::reduces(most)));
  const double height = kHeight - 2, viscosity = (kTau - 0.5) / 3;
  const double expected = kForce * (height * height - 1) / (8 * viscosity), found = most.value();
  if (world.rank() == 0)
    std::printf("fastest %.6e, a parabola's %.6e: %s 1 %%\n", found, expected,
                std::abs(found / expected - 1) < 0.01 ? "within" : "further than");
  return std::abs(found / expected - 1) < 0.01 ? 0 : 1;
}
