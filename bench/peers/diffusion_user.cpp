// Diffusion as a user of Tasuki writes it, beside what arrays.py runs by others: a Fourier mode in a periodic box.
//
//   mpirun -n 2 user-diffusion 512 27 2000     cells along an axis, points of the stencil, steps
//
// The steps are run three times, and the seconds a step of the fastest are printed, with the largest error at the end.
#include <tasuki/tasuki.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
namespace ts = tasuki;

constexpr double kRate = 0.1, kTurn = 6.283185307179586;

struct Mode {
  double amplitude, k;
  TS_CELL void operator()(auto c, auto u) const { u(c) = amplitude * cos(k * (c[0] + c[1] + c[2])); }
};

struct SevenPoints {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    v(c) = u(c) + kRate * (u(c, 1, 0, 0) + u(c, -1, 0, 0) + u(c, 0, 1, 0) + u(c, 0, -1, 0) + u(c, 0, 0, 1) +
                           u(c, 0, 0, -1) - 6 * u(c));
  }
};

struct TwentySevenPoints {
  TS_CELL static double cross(auto c, auto u, int z) {
    return u(c, 1, 0, z) + u(c, -1, 0, z) + u(c, 0, 1, z) + u(c, 0, -1, z);
  }
  TS_CELL static double four(auto c, auto u, int z) {
    return u(c, 1, 1, z) + u(c, -1, 1, z) + u(c, 1, -1, z) + u(c, -1, -1, z);
  }
  TS_CELL void operator()(auto c, auto u, auto v) const {
    const double faces = cross(c, u, 0) + u(c, 0, 0, 1) + u(c, 0, 0, -1);
    const double edges = four(c, u, 0) + cross(c, u, 1) + cross(c, u, -1);
    const double corners = four(c, u, 1) + four(c, u, -1);
    v(c) = u(c) + kRate / 30 * (14 * faces + 3 * edges + corners - 128 * u(c));
  }
};

struct Distance {
  double amplitude, k;
  TS_CELL void operator()(auto c, auto u, auto most) const {
    most(c, fabs(u(c) - amplitude * cos(k * (c[0] + c[1] + c[2]))));
  }
};

// By which a step multiplies the mode: k is the same along all axes.
double factor(int points, double k) {
  const double x = std::cos(k), y = std::cos(2 * k), z = std::cos(3 * k);
  if (points == 7) return 1 + kRate * (6 * x - 6);
  return 1 + kRate / 30 * (14 * 6 * x + 3 * (6 * y + 6) + (2 * z + 6 * x) - 128);
}

int main(int argc, char** argv) {
  ts::World world(argc, argv);
  if (argc < 4) throw ts::Error("a number is missing", "give cells along an axis, points (7 or 27), steps");
  const long n = std::atol(argv[1]), steps = std::atol(argv[3]);
  const int points = std::atoi(argv[2]);
  const double k = kTurn / static_cast<double>(n);
  ts::Grid<3> grid(world, {n, n, n}, {.halo = 1, .periodic = true});
  ts::Field<double> u(grid, "u"), v(grid, "v");
  ts::Max<double> most(world, "error");

  ts::run(ts::sweep(Mode{1, k}, grid.all(), ts::writes(u)));
  const auto spread =
      points == 7 ? ts::sweep(SevenPoints{}, grid.all(), ts::reads(u, ts::star(1)), ts::writes(v))
                  : ts::sweep(TwentySevenPoints{}, grid.all(), ts::reads(u, ts::box(1)), ts::writes(v));
  const auto program = ts::program(spread, ts::swap(u, v));
  double seconds = INFINITY;
  for (long done = 0; done < 3 * steps; done += steps)
    seconds = std::min(seconds, ts::run(program, {.times = steps, .done = done}).seconds);
  const double amplitude = std::pow(factor(points, k), static_cast<double>(3 * steps));
  ts::run(ts::sweep(Distance{amplitude, k}, grid.all(), ts::reads(u), ts::reduces(most)));
  const double error = most.value(); // of all ranks, so all ranks ask
  if (world.rank() == 0)
    std::printf("%.6e seconds a step, error %.3e\n", seconds / static_cast<double>(steps), error);
  return error < 1e-9 ? 0 : 1;
}
