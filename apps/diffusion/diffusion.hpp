// The 3-D diffusion equation du/dt = laplacian u, explicit and periodic, compared with the decay of a Fourier mode.
//
// The cell spacing is 1 and the time step is r: u += r L u, where L is one of two discrete Laplacians:
//   7 points   faces 1, centre -6.
//   27 points  faces 14/30, edges 3/30, corners 1/30, centre -128/30: the weights for which the leading error
//              does not depend on the direction (M. Patra, M. Karttunen: Stencils with isotropic
//              discretization error for differential operators, Numer. Methods Partial Differ. Equ. 22, 936,
//              2006). Their second moments are those of the Laplacian, 2 along each axis, and the fourth are
//              isotropic: <x^4> = 3 <x^2 y^2>.
// A mode cos(k.x) is an eigenfunction: each step multiplies it by 1 + r l, l = sum of weight(o) cos(k.o), while
// the exact solution decays by exp(-r |k|^2).
#pragma once

#include <tasuki/job/size.hpp>
#include <tasuki/tasuki.hpp>

#include <array>
#include <cmath>

namespace tasuki::diffusion {

inline constexpr double kPi = 3.14159265358979323846;

// Cells along x, y, z by the names that --size takes.
inline const job::Sizes kSizes = {3,
                                  1,
                                  {{"XS", {64, 64, 64}},
                                   {"S", {128, 128, 128}},
                                   {"M", {256, 256, 256}},
                                   {"L", {512, 512, 512}},
                                   {"XL", {1024, 1024, 1024}}},
                                  "--n"};

struct Problem {
  std::array<long, 3> extents{128, 128, 128};
  int points = 7;
  double r = 0.1;                     // time step
  std::array<long, 3> waves{1, 1, 1}; // of the mode along each axis

  double cells() const {
    return static_cast<double>(extents[0]) * static_cast<double>(extents[1]) *
           static_cast<double>(extents[2]);
  }
  // The weight of a neighbour that is offset along this number of axes.
  double weight(int axes) const {
    constexpr double seven[] = {-6, 1, 0, 0};
    constexpr double twenty_seven[] = {-128.0 / 30, 14.0 / 30, 3.0 / 30, 1.0 / 30};
    return points == 7 ? seven[axes] : twenty_seven[axes];
  }
  double wave_number(int axis) const {
    return 2 * kPi * static_cast<double>(waves[static_cast<std::size_t>(axis)]) /
           static_cast<double>(extents[static_cast<std::size_t>(axis)]);
  }
  // The factor by which a step multiplies a mode of these wave numbers.
  double factor(const std::array<double, 3>& k) const {
    double sum = 0;
    for (int z = -1; z <= 1; ++z)
      for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x)
          sum += weight((x != 0) + (y != 0) + (z != 0)) * std::cos(k[0] * x + k[1] * y + k[2] * z);
    return 1 + r * sum;
  }
  double discrete_factor() const { return factor({wave_number(0), wave_number(1), wave_number(2)}); }
  double continuous_factor() const {
    double k2 = 0;
    for (int a = 0; a < 3; ++a) k2 += wave_number(a) * wave_number(a);
    return std::exp(-r * k2);
  }
  // Throws Error if the step is too long for stability; the fastest-growing mode is the chequerboard.
  void check_stable() const {
    const double fastest = (1 - factor({kPi, kPi, kPi})) / r;
    if (r * fastest > 2)
      throw Error("a step of r = " + std::to_string(r) + " is unstable",
                  "give --r " + std::to_string(2 / fastest) + " or less");
  }
};

// cos(k.x) at cell c.
struct Mode {
  std::array<double, 3> cycles; // per cell
  explicit Mode(const Problem& problem)
      : cycles{problem.wave_number(0) / (2 * kPi), problem.wave_number(1) / (2 * kPi),
               problem.wave_number(2) / (2 * kPi)} {}

  TS_CELL double operator()(long x, long y, long z) const {
    return cos(2 * kPi *
               (cycles[0] * static_cast<double>(x) + cycles[1] * static_cast<double>(y) +
                cycles[2] * static_cast<double>(z)));
  }
};

template <class T>
struct Start {
  Mode mode;
  TS_CELL void operator()(auto c, auto u) const { u(c) = static_cast<T>(mode(c[0], c[1], c[2])); }
};

template <class T>
struct SevenPoints {
  T r;
  TS_CELL void operator()(auto c, auto u, auto v) const {
    const T here = u(c);
    v(c) = here + r * (u(c, 1, 0, 0) + u(c, -1, 0, 0) + u(c, 0, 1, 0) + u(c, 0, -1, 0) + u(c, 0, 0, 1) +
                       u(c, 0, 0, -1) - 6 * here);
  }
};

template <class T>
struct TwentySevenPoints {
  T centre, face, edge, corner; // the weights, multiplied by r

  TS_CELL static T four(auto c, auto u, int z) {
    return u(c, 1, 1, z) + u(c, -1, 1, z) + u(c, 1, -1, z) + u(c, -1, -1, z);
  }
  TS_CELL static T cross(auto c, auto u, int z) {
    return u(c, 1, 0, z) + u(c, -1, 0, z) + u(c, 0, 1, z) + u(c, 0, -1, z);
  }

  TS_CELL void operator()(auto c, auto u, auto v) const {
    const T faces = cross(c, u, 0) + u(c, 0, 0, 1) + u(c, 0, 0, -1);
    const T edges = four(c, u, 0) + cross(c, u, 1) + cross(c, u, -1);
    const T corners = four(c, u, 1) + four(c, u, -1);
    const T here = u(c);
    v(c) = here + (centre * here + face * faces + edge * edges + corner * corners);
  }
};

// The distance between u and the mode with a given amplitude.
struct Distance {
  Mode mode;
  double discrete, continuous; // amplitudes of the discrete and of the exact solution
  TS_CELL void operator()(auto c, auto u, auto from_discrete, auto from_continuous) const {
    const double shape = mode(c[0], c[1], c[2]), value = static_cast<double>(u(c));
    from_discrete(c, fabs(value - discrete * shape));
    from_continuous(c, fabs(value - continuous * shape));
  }
};

struct Errors {
  double discrete, continuous;
};

// T: float or double. u is initialised with the mode of amplitude 1. Throws Error if the step is unstable.
template <class T>
struct Diffusion {
  Problem problem;
  Grid<3> grid;
  Field<T> u, v;

  Diffusion(World& world, const Problem& p, const ChosenHalo& chosen = nullptr)
      : problem(p),
        grid(world, p.extents, {.halo = 1, .periodic = true, .chosen = chosen}),
        u(grid, "u"),
        v(grid, "v") {
    problem.check_stable();
    run(sweep(Start<T>{Mode(problem)}, grid.all(), writes(u)));
  }

  // A step after which u has the new values.
  Items step() const {
    const T r = static_cast<T>(problem.r);
    const auto weight = [&](int axes) { return static_cast<T>(problem.r * problem.weight(axes)); };
    if (problem.points == 7)
      return {{.what = sweep(SevenPoints<T>{r}, grid.all(), reads(u, star(1)), writes(v))}, swap(u, v)};
    const TwentySevenPoints<T> cell{weight(0), weight(1), weight(2), weight(3)};
    return {{.what = sweep(cell, grid.all(), reads(u, box(1)), writes(v))}, swap(u, v)};
  }

  // The largest distances, after this number of steps, from the discrete solution of the mode and from
  // the exact solution. Collective.
  Errors errors(long steps) const {
    const Max<double> discrete(grid.world(), "error"), continuous(grid.world(), "error of the step");
    const double n = static_cast<double>(steps);
    run(sweep(Distance{Mode(problem), std::pow(problem.discrete_factor(), n),
                       std::pow(problem.continuous_factor(), n)},
              grid.all(), reads(u), reduces(discrete), reduces(continuous)));
    return {discrete.value(), continuous.value()};
  }
};

} // namespace tasuki::diffusion
