// Sweeps that a graph does at the same time: which they are, and that they leave the bits of sweeps one by one.
#include <tasuki/run/abreast.hpp>
#include <tasuki/tasuki.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

namespace tasuki {
namespace {

constexpr long kX = 96, kY = 60;
constexpr int kParts = 20; // more than streams

struct Add {
  TS_CELL void operator()(auto c, auto u, auto sum) const { sum(c, u(c)); }
};
struct AddSquares {
  TS_CELL void operator()(auto c, auto u, auto sum) const { sum(c, u(c) * u(c)); }
};
struct AddAndKeep {
  TS_CELL void operator()(auto c, auto u, auto v, auto sum) const {
    v(c) = u(c);
    sum(c, u(c));
  }
};
struct Slope {
  TS_CELL void operator()(auto c, auto u, auto sum) const { sum(c, u(c, 1, 0) - u(c)); }
};
struct Blow { // by the scalars of the cell's part
  TS_CELL void operator()(auto c, auto s, auto u) const {
    u(c) = 0.9 * u(c) + s[static_cast<int>(c[1] * kParts / kY)] +
           1e-3 * static_cast<double>((c[0] + 2 * c[1]) % 7);
  }
};
struct Next {
  TS_CELL void operator()(double* s, double sum, double squares) const {
    s[0] = 1e-2 * (sum - floor(sum)) / (1 + squares);
  }
};

Region<2> part_of(const Grid<2>& grid, int k) {
  Region<2> region = grid.all();
  region.box.lo[1] = kY * k / kParts;
  region.box.hi[1] = kY * (k + 1) / kParts;
  return region;
}

TEST(Abreast, AreSweepsOfOneKindThatOnlyReadAndHaveReductionsOfTheirOwn) {
  Grid<2> grid(test::world(), {kX, kY}, {.periodic = {true, true}});
  Field<double> u(grid, "u"), v(grid, "v");
  std::vector<Sum<double>> sums;
  for (int k = 0; k < 4; ++k) sums.emplace_back(test::world(), "sum");
  Scalars<1> s(test::world(), "s");
  const auto add = [&](int k) {
    return sweep(Add{}, part_of(grid, k), reads(u), reduces(sums[static_cast<std::size_t>(k)]));
  };
  const auto squares = sweep(AddSquares{}, grid.all(), reads(u), reduces(sums[3]));
  const auto keeps = [&](int k) {
    return sweep(AddAndKeep{}, part_of(grid, k), reads(u), writes(v),
                 reduces(sums[static_cast<std::size_t>(k)]));
  };
  const auto slope = [&](int k) {
    return sweep(Slope{}, grid.all(), reads(u, star({1, 0})), reduces(sums[static_cast<std::size_t>(k)]));
  };
  const auto counts = [](const Program& program) {
    Planner planner(program.items());
    const std::vector<PlannedOp>& ops = planner.step(1, nullptr).ops;
    std::vector<std::size_t> counts;
    for (std::size_t k = 0; k < ops.size(); k += counts.back()) counts.push_back(sweeps_abreast(ops, k));
    return counts;
  };
  using Counts = std::vector<std::size_t>;
  EXPECT_EQ(counts(program(add(0), add(1), add(2), squares)), (Counts{3, 1})) << "another cell function";
  EXPECT_EQ(counts(program(add(0), add(1), add(0), add(2))), (Counts{2, 2}))
      << "a reduction for the second time";
  EXPECT_EQ(counts(program(add(0), settle(Next{}, s, sums[0], sums[0]), add(1), add(2))), (Counts{1, 1, 2}));
  EXPECT_EQ(counts(program(keeps(0), keeps(1))), (Counts{1, 1}))
      << "what is written may be read by other ways";
  EXPECT_EQ(counts(program(add(0), swap(u, v), add(1))), (Counts{1, 1, 1}));
  EXPECT_EQ(counts(program(slope(0), slope(1), slope(2))), (Counts{1, 2}))
      << "the first one needs an exchange";
}

std::array<double, kParts> blown(const std::string& executor) {
  const auto world = test::world_with([&](Settings& s) { s.executor = executor; });
  Grid<2> grid(*world, {kX, kY});
  Field<double> u(grid, "u");
  Scalars<kParts> all(*world, "all");
  std::vector<Scalars<1>> scalars;
  std::vector<std::tuple<Sum<double>, Sum<double>>> sums;
  Items parts, squares;
  for (int k = 0; k < kParts; ++k) {
    scalars.push_back(all.part<1>(k));
    scalars.back().set({0.1 * k + 0.1});
    sums.emplace_back(Sum<double>(*world, "sum"), Sum<double>(*world, "squares"));
    parts = parts + items(sweep(Add{}, part_of(grid, k), reads(u), reduces(std::get<0>(sums.back()))));
    squares =
        squares + items(sweep(AddSquares{}, part_of(grid, k), reads(u), reduces(std::get<1>(sums.back()))));
  }
  run(program(sweep(Blow{}, grid.all(), uses(all), updates(u)), parts, squares,
              settle_each(Next{}, scalars, sums)),
      {.times = 40});
  return all.value();
}

TEST(Abreast, LeaveTheBitsOfSweepsOneByOne) {
  const auto eager = blown("eager");
  EXPECT_EQ(blown("overlapped"), eager);
  EXPECT_EQ(blown("auto"), eager);
  if (test::device().cuda() && test::world().nodes() == 1 && test::world().settings().channel.empty()) {
    EXPECT_EQ(blown("graph"), eager);
  }
  EXPECT_NE(eager[0], eager[1]);
}

} // namespace
} // namespace tasuki
