// Grids whose periodic axes have no halo where they are not cut: what is read round the end is what a halo would hold,
// and what a serial loop finds.
#include <tasuki/tasuki.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

namespace tasuki {
namespace {

using test::pick;
using test::Random;

constexpr int kNumbers = 18; // more than kMostPlanes
constexpr int kReach = 2;

// Of no options that would give axes halos.
std::unique_ptr<World> plain_world() {
  return test::world_with([](Settings& s) {
    s.channel.clear();
    s.halo = 0;
    s.ranks.clear();
  });
}

struct Mix { // each number from others of its neighbours, off one axis and off two
  TS_CELL void operator()(auto c, auto in, auto out) const {
    for (int k = 0; k < kNumbers; ++k)
      out[k](c) = in[k](c, kReach, 0, 0) + 2 * in[(k + 1) % kNumbers](c, -kReach, 0, 0) +
                  3 * in[(k + 2) % kNumbers](c, 0, 1, 0) - in[(k + 3) % kNumbers](c, 0, -kReach, 0) -
                  2 * in[(k + 4) % kNumbers](c, 0, 0, kReach) - 3 * in[(k + 5) % kNumbers](c, 0, 0, -1) +
                  4 * in[(k + 6) % kNumbers](c, 0, 1, -1);
  }
};

using Values = std::vector<long>; // whole grid: numbers slowest, then z, y, x
using Extents = std::array<long, 3>;

Values mixed(const Values& in, const Extents& n, int steps) {
  const auto at = [&](int k, long x, long y, long z) {
    const auto round = [](long i, long extent) { return (i + extent) % extent; };
    return static_cast<std::size_t>(((k % kNumbers * n[2] + round(z, n[2])) * n[1] + round(y, n[1])) * n[0] +
                                    round(x, n[0]));
  };
  Values now = in, next(in.size());
  for (int step = 0; step < steps; ++step) {
    for (int k = 0; k < kNumbers; ++k)
      for (long z = 0; z < n[2]; ++z)
        for (long y = 0; y < n[1]; ++y)
          for (long x = 0; x < n[0]; ++x)
            next[at(k, x, y, z)] = (now[at(k, x + kReach, y, z)] + 2 * now[at(k + 1, x - kReach, y, z)] +
                                    3 * now[at(k + 2, x, y + 1, z)] - now[at(k + 3, x, y - kReach, z)] -
                                    2 * now[at(k + 4, x, y, z + kReach)] - 3 * now[at(k + 5, x, y, z - 1)] +
                                    4 * now[at(k + 6, x, y + 1, z - 1)]) %
                                   (1L << 40);
    now.swap(next);
  }
  return now;
}

// This rank's part of values of the whole grid, as Field::from_host() takes it.
Values part_of(const Values& all, const Extents& n, const Box& owned) {
  Values own;
  for (int k = 0; k < kNumbers; ++k)
    for (long z = owned.lo[2]; z < owned.hi[2]; ++z)
      for (long y = owned.lo[1]; y < owned.hi[1]; ++y)
        for (long x = owned.lo[0]; x < owned.hi[0]; ++x)
          own.push_back(all[static_cast<std::size_t>(((k * n[2] + z) * n[1] + y) * n[0] + x)]);
  return own;
}

TEST(Wraps, ReadsWhatAHaloWouldHold) {
  Random random = test::random(11);
  const auto world = plain_world();
  for (int number = 0; number < 12; ++number) {
    Extents n{};
    for (long& extent : n) extent = pick(random, kReach * world->size(), kReach * world->size() + 9);
    const Grid<3> grid(*world, n, {.halo = kReach, .periodic = true, .wraps = {true, number % 2 == 0, true}});
    for (int a = 0; a < 3; ++a) {
      if (!grid.core()->cut().wraps_at(a)) continue;
      EXPECT_EQ(grid.core()->halo()[a], Width(0));
    }
    Field<long[kNumbers]> a(grid, "a"), b(grid, "b");
    Values start(static_cast<std::size_t>(kNumbers * n[0] * n[1] * n[2]));
    for (long& value : start) value = pick(random, -9, 9);
    a.from_host(part_of(start, n, grid.core()->owned()));
    const int steps = 3;
    run(program(sweep(Mix{}, grid.all(), reads(a, box(kReach)), writes(b)), swap(a, b)), {.times = steps});
    EXPECT_EQ(a.to_host(), part_of(mixed(start, n, steps), n, grid.core()->owned()))
        << n[0] << " x " << n[1] << " x " << n[2];
  }
}

struct Next {
  TS_CELL void operator()(auto c, auto in, auto out) const { out(c) = in(c, 0, 1); }
};

TEST(Wraps, AreNotForFieldsOfFewNumbers) {
  const auto world = plain_world();
  const Grid<2> grid(*world, {8, 8L * world->size()},
                     {.periodic = true, .wraps = true, .ranks = {world->size(), 1}});
  const Field<double> a(grid, "a"), b(grid, "b");
  EXPECT_THROW(program(sweep(Next{}, grid.all(), reads(a, star(1)), writes(b))), Error);
}

} // namespace
} // namespace tasuki
