// Sweeps whose cells read many of their neighbours, on grids that are large enough for a GPU to walk in columns
// (device/kernel/ring_cuda.hpp): what one rank or many make of them is what the cell function makes of the numbers.
#include <tasuki/tasuki.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace tasuki {
namespace {

using test::world;

TS_CELL double number_at(long x, long y, long z) {
  const long h = x * 7 + y * 13 + z * 29;
  return static_cast<double>(h * h % 1009) / 7;
}

template <class T>
struct Start {
  TS_CELL void operator()(auto c, auto u) const {
    long at[3] = {};
    for (int a = 0; a < decltype(c)::dims; ++a) at[a] = c[a];
    u(c) = static_cast<T>(number_at(at[0], at[1], at[2]));
  }
};

constexpr int kFar = 4;
struct Cross { // 17 points
  TS_CELL void operator()(auto c, auto u, auto v) const {
    float sum = u(c);
    for (int r = 1; r <= kFar; ++r)
      sum += 0.3f * (u(c, r, 0) + u(c, -r, 0)) + 0.7f * (u(c, 0, r) - u(c, 0, -r));
    v(c) = sum;
  }
};
struct Cube { // 27 points
  TS_CELL void operator()(auto c, auto u, auto v) const {
    double sum = 0;
    for (int z = -1; z <= 1; ++z)
      for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x) sum = 0.9 * sum + u(c, x, y, z);
    v(c) = sum;
  }
};
struct CubeAndMost { // the same, and the largest of the results
  TS_CELL void operator()(auto c, auto u, auto v, auto most) const {
    Cube{}(c, u, v);
    most(c, v(c));
  }
};

// What the cell function would be given, worked out.
template <class T, int D>
struct Numbers {
  std::array<long, 3> extents;
  T operator()(const std::array<long, 3>& c, long x = 0, long y = 0, long z = 0) const {
    const auto round = [](long i, long n) { return (i + n) % n; };
    return static_cast<T>(
        number_at(round(c[0] + x, extents[0]), round(c[1] + y, extents[1]), round(c[2] + z, extents[2])));
  }
};
template <class T>
struct Result {
  T& value;
  T& operator()(const std::array<long, 3>&) const { return value; }
};

template <class T, int D, class F>
long differing(const Field<T>& v, const Box& owned, const Box& region, const std::array<long, 3>& extents,
               const F& f) {
  const std::vector<T> found = v.to_host();
  const Numbers<T, D> u{extents};
  long wrong = 0;
  std::size_t k = 0;
  std::array<long, 3> c{};
  for (c[2] = D > 2 ? owned.lo[2] : 0; c[2] < (D > 2 ? owned.hi[2] : 1); ++c[2])
    for (c[1] = owned.lo[1]; c[1] < owned.hi[1]; ++c[1])
      for (c[0] = owned.lo[0]; c[0] < owned.hi[0]; ++c[0], ++k) {
        bool in = true;
        for (int a = 0; a < D; ++a) {
          const auto axis = static_cast<std::size_t>(a);
          in = in && c[axis] >= region.lo[axis] && c[axis] < region.hi[axis];
        }
        T wanted{};
        if (in) f(c, u, Result<T>{wanted});
        wrong += in && found[k] != wanted;
      }
  return wrong;
}

bool large() { return test::device().cuda(); } // a CPU walks no columns

TEST(Columns, OfAStarOfManyPoints) {
  const std::array<long, 3> n = large() ? std::array{2003L, 1501L, 1L} : std::array{203L, 151L, 1L};
  const Grid<2> grid(world(), {n[0], n[1]}, {.halo = kFar, .periodic = true});
  const Field<float> u(grid, "u"), v(grid, "v");
  run(program(sweep(Start<float>{}, grid.all(), writes(u)),
              sweep(Cross{}, grid.all(), reads(u, star(kFar)), writes(v))),
      {.times = 1});
  EXPECT_EQ((differing<float, 2>(v, grid.core()->owned(), grid.all().box, n, Cross{})), 0);
}

TEST(Columns, OfABoxOfManyPoints) {
  const std::array<long, 3> n = large() ? std::array{251L, 254L, 163L} : std::array{51L, 44L, 33L};
  const Grid<3> grid(world(), {n[0], n[1], n[2]});
  const Field<double> u(grid, "u"), v(grid, "v");
  const Max<double> most(world(), "most");
  const Sweep start = sweep(Start<double>{}, grid.all(), writes(u));
  run(program(start, sweep(Cube{}, grid.inner(1), reads(u, box(1)), writes(v))), {.times = 1});
  EXPECT_EQ((differing<double, 3>(v, grid.core()->owned(), grid.inner(1).box, n, Cube{})), 0);

  const auto cube = v.to_host();
  run(program(start, sweep(CubeAndMost{}, grid.inner(1), reads(u, box(1)), updates(v), reduces(most))),
      {.times = 1});
  EXPECT_EQ(v.to_host(), cube);
  const double largest = *std::max_element(cube.begin(), cube.end());
  EXPECT_GE(most.value(), largest);
  EXPECT_TRUE(any_rank(world(), most.value() == largest))
      << "no rank has found what is said to be the largest";
}

} // namespace
} // namespace tasuki
