// Laplace's equation as a user of Tasuki writes it, beside what arrays.py runs by others: a plate with a hot top row.
//
//   mpirun -n 2 user-laplace 4096 20000 [1e-30]     cells along an axis, steps, and where to end
//
// With a threshold, the sum of squares of changes is evaluated in every step, and the run ends where it is below. The
// steps are run three times; the seconds a step of the fastest are printed, and the sum in the last step.
#include <tasuki/tasuki.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
namespace ts = tasuki;

struct Rim {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    const float value = c[1] == c.extent(1) - 1 ? 1 : 0;
    u(c) = value;
    v(c) = value;
  }
};

TS_CELL float mean(auto c, auto u) { return 0.25f * (u(c, 1, 0) + u(c, -1, 0) + u(c, 0, 1) + u(c, 0, -1)); }

struct Relax {
  TS_CELL void operator()(auto c, auto u, auto v) const { v(c) = mean(c, u); }
};

struct RelaxAndMeasure {
  TS_CELL void operator()(auto c, auto u, auto v, auto change) const {
    const float next = mean(c, u), step = next - u(c);
    v(c) = next;
    change(c, static_cast<double>(step) * step);
  }
};

int main(int argc, char** argv) {
  ts::World world(argc, argv);
  if (argc < 3) throw ts::Error("a number is missing", "give cells along an axis, steps");
  const long n = std::atol(argv[1]), steps = std::atol(argv[2]);
  const double threshold = argc > 3 ? std::atof(argv[3]) : 0;
  ts::Grid<2> grid(world, {n, n}, {.halo = 1});
  ts::Field<float> u(grid, "u"), v(grid, "v");
  ts::Sum<double> change(world, "change");

  ts::run(ts::sweep(Rim{}, grid.all(), ts::writes(u), ts::writes(v)));
  const auto inner = grid.inner(1);
  const auto relax = ts::sweep(Relax{}, inner, ts::reads(u, ts::star(1)), ts::writes(v));
  const auto measured =
      ts::sweep(RelaxAndMeasure{}, inner, ts::reads(u, ts::star(1)), ts::writes(v), ts::reduces(change));
  const auto program = ts::program(threshold > 0 ? measured : relax, ts::swap(u, v));
  ts::RunOptions options{.times = steps};
  if (threshold > 0) options.until = ts::below(change, threshold);
  double step = INFINITY;
  for (int turn = 0; turn < 3; ++turn) {
    const ts::RunReport report = ts::run(program, options);
    step = std::min(step, report.seconds / static_cast<double>(report.steps));
    options.done += report.steps;
  }
  const double last = threshold > 0 ? change.value() : 0; // of all ranks, so all ranks ask
  if (world.rank() == 0) std::printf("%.6e seconds a step, change %.9e\n", step, last);
}
