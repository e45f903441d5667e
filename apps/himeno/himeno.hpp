// The RIKEN Himeno benchmark: a Poisson equation for pressure, Jacobi with 19 points and 14 arrays.
//
// The benchmark's i, j, k are z, y, x here, so that k is the fastest index in both. Its second loop, which copies wrk2
// back to p, is replaced by a swap, since wrk2 has the boundary values too. 34 flop per updated cell; 13 arrays are
// read and one is written: 56 bytes.
#pragma once

#include <tasuki/job/size.hpp>
#include <tasuki/tasuki.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace tasuki::himeno {

// Cells along x, y, z by the names of the benchmark.
inline const job::Sizes kSizes = {3,
                                  3,
                                  {{"XS", {64, 32, 32}},
                                   {"S", {128, 64, 64}},
                                   {"M", {256, 128, 128}},
                                   {"L", {512, 256, 256}},
                                   {"XL", {1024, 512, 512}}}};

// imax, jmax, kmax: cells along z, y, x.
struct Problem {
  long imax = 32, jmax = 32, kmax = 64;

  // From a size as in --size, "M" or "256x128x128". Throws Error if it is invalid.
  static Problem of(const std::string& size) {
    const std::vector<long> n = job::parse_size(size, "--size", kSizes);
    return {n[2], n[1], n[0]};
  }
  std::string size() const { return job::size_text({kmax, jmax, imax}, kSizes); }
  double cells() const {
    return static_cast<double>(imax - 2) * static_cast<double>(jmax - 2) * static_cast<double>(kmax - 2);
  }
  double flop() const { return 34 * cells(); } // per iteration
};

inline constexpr float kOmega = 0.8f;

struct Start {
  long imax;
  TS_CELL void operator()(auto c, auto a, auto b, auto d, auto p, auto bnd, auto wrk1, auto wrk2) const {
    const long i = c[2];
    for (int m = 0; m < 3; ++m) {
      a[m](c) = 1.0f;
      b[m](c) = 0.0f;
      d[m](c) = 1.0f; // c of the benchmark
    }
    a[3](c) = static_cast<float>(1.0 / 6.0);
    const float pressure = static_cast<float>(i * i) / static_cast<float>((imax - 1) * (imax - 1));
    p(c) = pressure;
    wrk2(c) = pressure;
    bnd(c) = 1.0f;
    wrk1(c) = 0.0f;
  }
};

// The variable ss of the benchmark for one cell, with its order of terms. Offsets are x, y, z: the benchmark's k, j, i.
TS_CELL float correction(auto n, auto a, auto b, auto c, auto p, auto bnd, auto wrk1) {
  const float s0 = a[0](n) * p(n, 0, 0, 1) + a[1](n) * p(n, 0, 1, 0) + a[2](n) * p(n, 1, 0, 0) +
                   b[0](n) * (p(n, 0, 1, 1) - p(n, 0, -1, 1) - p(n, 0, 1, -1) + p(n, 0, -1, -1)) +
                   b[1](n) * (p(n, 1, 1, 0) - p(n, 1, -1, 0) - p(n, -1, 1, 0) + p(n, -1, -1, 0)) +
                   b[2](n) * (p(n, 1, 0, 1) - p(n, 1, 0, -1) - p(n, -1, 0, 1) + p(n, -1, 0, -1)) +
                   c[0](n) * p(n, 0, 0, -1) + c[1](n) * p(n, 0, -1, 0) + c[2](n) * p(n, -1, 0, 0) + wrk1(n);
  return (s0 * a[3](n) - p(n)) * bnd(n);
}

struct Jacobi {
  TS_CELL void operator()(auto n, auto a, auto b, auto c, auto p, auto bnd, auto wrk1, auto wrk2) const {
    wrk2(n) = p(n) + kOmega * correction(n, a, b, c, p, bnd, wrk1);
  }
};

struct JacobiAndGosa {
  TS_CELL void operator()(auto n, auto a, auto b, auto c, auto p, auto bnd, auto wrk1, auto wrk2,
                          auto gosa) const {
    const float ss = correction(n, a, b, c, p, bnd, wrk1);
    wrk2(n) = p(n) + kOmega * ss;
    gosa(n, ss * ss);
  }
};

// The fields have their initial values after construction.
struct Himeno {
  Problem problem;
  Grid<3> grid;
  Field<float[4]> a;
  Field<float[3]> b, c;
  Field<float> p, bnd, wrk1, wrk2;
  Sum<double> gosa; // of the last iteration that computed it. The benchmark sums in single precision

  Himeno(World& world, const Problem& size, const ChosenHalo& chosen = nullptr)
      : problem(size),
        grid(world, {size.kmax, size.jmax, size.imax}, {.halo = 1, .chosen = chosen}),
        a(grid, "a"),
        b(grid, "b"),
        c(grid, "c"),
        p(grid, "p"),
        bnd(grid, "bnd"),
        wrk1(grid, "wrk1"),
        wrk2(grid, "wrk2"),
        gosa(world, "gosa") {
    run(sweep(Start{size.imax}, grid.all(), writes(a), writes(b), writes(c), writes(p), writes(bnd),
              writes(wrk1), writes(wrk2)));
  }

  // An iteration; it computes gosa if its number is a multiple of gosa_every.
  Items step(long gosa_every) const {
    const auto jacobi = sweep(Jacobi{}, grid.inner(1), reads(a), reads(b), reads(c), reads(p, edges(1)),
                              reads(bnd), reads(wrk1), writes(wrk2));
    const auto jacobi_and_gosa =
        sweep(JacobiAndGosa{}, grid.inner(1), reads(a), reads(b), reads(c), reads(p, edges(1)), reads(bnd),
              reads(wrk1), writes(wrk2), reduces(gosa));
    Items items = every(gosa_every, jacobi_and_gosa, jacobi);
    items.push_back(swap(p, wrk2));
    return items;
  }
};

} // namespace tasuki::himeno
