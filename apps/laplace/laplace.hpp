// The 2-D Laplace equation by five-point Jacobi iteration: every inner cell becomes the mean of its four neighbours.
#pragma once

#include <tasuki/job/size.hpp>
#include <tasuki/tasuki.hpp>

#include <cmath>

namespace tasuki::laplace {

enum class Boundary {
  hot_top, // the top row is 1, all other boundary cells are 0
  linear,  // u = x/(nx-1) on the boundary, which is also the solution
  nvidia,  // as in NVIDIA's multi-GPU Jacobi samples: the first and last columns are sin(2 pi y/(ny-1)),
           // periodic in y. Their array of nx x ny has two halo rows; row j here is row j + 1 there
};

// Cells along x and y by the names that --size takes.
inline const job::Sizes kSizes = {2,
                                  3,
                                  {{"XS", {256, 256}},
                                   {"S", {1024, 1024}},
                                   {"M", {4096, 4096}},
                                   {"L", {16384, 16384}},
                                   {"XL", {65536, 65536}}}};

struct Problem {
  long nx = 1024, ny = 1024; // of the whole array, at least 3
  Boundary boundary = Boundary::hot_top;

  bool periodic_y() const { return boundary == Boundary::nvidia; }
  long rows() const { return periodic_y() ? ny - 2 : ny; } // of the grid
  long cells() const { return (nx - 2) * (ny - 2); }       // updated by a step
};

// The initial values: the boundary values, and 0 inside.
template <class T>
struct Start {
  Boundary boundary;
  long nx, ny;

  TS_CELL void operator()(auto c, auto u, auto v) const {
    const long x = c[0], y = c[1];
    T value = 0;
    if (boundary == Boundary::hot_top && y == ny - 1) value = 1;
    if (boundary == Boundary::linear && (x == 0 || x == nx - 1 || y == 0 || y == ny - 1)) value = exact(x);
    if (boundary == Boundary::nvidia && (x == 0 || x == nx - 1)) {
      const T pi =
          static_cast<T>(3.14159265358979323846); // pi in their real type, the product in double, as theirs
      value = static_cast<T>(sin(2.0 * pi * static_cast<double>(y + 1) / static_cast<double>(ny - 1)));
    }
    u(c) = value;
    v(c) = value;
  }
  TS_CELL T exact(long x) const {
    return static_cast<T>(x) / static_cast<T>(nx - 1);
  } // of the linear problem
};

template <class T>
TS_CELL T mean(auto c, auto u) {
  return T(0.25) * (u(c, 1, 0) + u(c, -1, 0) + u(c, 0, 1) + u(c, 0, -1));
}

template <class T>
struct Relax {
  TS_CELL void operator()(auto c, auto u, auto v) const { v(c) = mean<T>(c, u); }
};

// Also sums the square of the change, for the residual.
template <class T>
struct RelaxAndMeasure {
  TS_CELL void operator()(auto c, auto u, auto v, auto change) const {
    const T next = mean<T>(c, u);
    const double step = static_cast<double>(next - u(c));
    v(c) = next;
    change(c, step * step);
  }
};

// The change in a step that was not measured: v still has the values of the step before.
struct Measure {
  TS_CELL void operator()(auto c, auto u, auto v, auto change) const {
    const double step = static_cast<double>(u(c) - v(c));
    change(c, step * step);
  }
};

// The distance between u and the solution of the linear problem.
template <class T>
struct Distance {
  Start<T> start;
  TS_CELL void operator()(auto c, auto u, auto distance) const {
    const double away = static_cast<double>(u(c) - start.exact(c[0]));
    distance(c, away < 0 ? -away : away);
  }
};

// T: float or double. The fields have their initial values after construction.
template <class T>
struct Laplace {
  Problem problem;
  Grid<2> grid;
  Field<T> u, v;
  Sum<double> change; // of the last measured step: the sum of (new - old)^2

  Laplace(World& world, const Problem& p, const ChosenHalo& chosen = nullptr)
      : problem(p),
        grid(world, {p.nx, p.rows()}, {.halo = 1, .periodic = {false, p.periodic_y()}, .chosen = chosen}),
        u(grid, "u"),
        v(grid, "v"),
        change(world, "change") {
    run(sweep(start(), grid.all(), writes(u), writes(v)));
  }

  // A step after which u has the new values; every measure_every steps (0: never) it measures the change.
  Items step(long measure_every = 0) const {
    const auto relax = sweep(Relax<T>{}, grid.inner(1), reads(u, star(1)), writes(v));
    const auto relax_and_measure =
        sweep(RelaxAndMeasure<T>{}, grid.inner(1), reads(u, star(1)), writes(v), reduces(change));
    Items items = measure_every ? every(measure_every, relax_and_measure, relax) : tasuki::items(relax);
    items.push_back(swap(u, v));
    return items;
  }

  // sqrt(sum (new - old)^2) of the last step, measured or not. Collective.
  double residual() const {
    run(sweep(Measure{}, grid.inner(1), reads(u), reads(v), reduces(change)));
    return std::sqrt(change.value());
  }

  // The largest distance from the solution of the linear problem. Collective.
  double distance() const {
    const Max<double> most(grid.world(), "distance");
    run(sweep(Distance<T>{start()}, grid.all(), reads(u), reduces(most)));
    return most.value();
  }

private:
  Start<T> start() const { return {problem.boundary, problem.nx, problem.ny}; }
};

} // namespace tasuki::laplace
