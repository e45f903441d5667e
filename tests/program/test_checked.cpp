// A checked build reports a sweep that touches what it did not declare, with its name, the field and the cell.
// Compiled with TASUKI_CHECKED.
#include <tasuki/run/run.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#if !defined(TASUKI_CHECKED)
#error "this test is of the checked build"
#endif

namespace tasuki {
namespace {

using test::world;

struct Honest {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    v(c) = u(c, -1, 0) + u(c, 1, 0) + u(c, 0, -1) + u(c, 0, 1);
  }
};
struct TooFar {
  TS_CELL void operator()(auto c, auto u, auto v) const { v(c) = u(c, 2, 0); }
};
struct WrongSide {
  TS_CELL void operator()(auto c, auto u, auto v) const { v(c) = u(c, 0, -1); }
};
struct Corner {
  TS_CELL void operator()(auto c, auto u, auto v) const { v(c) = u(c, 1, -1); }
};
struct ReadsItsResult {
  TS_CELL void operator()(auto c, auto u, auto v) const { v(c) = v(c) + u(c); }
};
struct OnlyAtOneCell {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    v(c) = u(c);
    if (c[0] % 8 == 5 && c[1] == 3) v(c) = u(c, 0, 1);
  }
};
struct SecondComponent {
  TS_CELL void operator()(auto c, auto a, auto v) const { v(c) = a[0](c) + a[1](c, 1, 0); }
};

template <class F>
std::string report_of(F f, const Shape& shape) {
  Grid<2> grid(world(), {8L * world().size(), 8},
               {.halo = 2, .periodic = true, .ranks = {world().size(), 1}});
  Field<double> u(grid, "u"), v(grid, "v");
  try {
    run(sweep(f, grid.all(), reads(u, shape), writes(v)));
  } catch (const Error& fault) {
    return fault.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Checked, LetsPassWhatIsDeclared) {
  EXPECT_EQ(report_of(Honest{}, star(1)), "");
  EXPECT_EQ(report_of(Honest{}, box(2)), "");
  EXPECT_EQ(report_of(Corner{}, box(1)), "");
  EXPECT_EQ(report_of(Corner{}, edges(1)), "");
  EXPECT_EQ(report_of(TooFar{}, star({{0, 2}, 0})), "");
}

TEST(Checked, ReportsAnOffsetThatIsTooFar) {
  const std::string text = report_of(TooFar{}, star(1));
  EXPECT_TRUE(has(text, "sweep 'TooFar' reads field 'u' at offset (2, 0) from cell (")) << text;
  EXPECT_TRUE(has(text, "further than it declares; widen its reads(u, ..)")) << text;
}

TEST(Checked, ReportsTheSideThatWasNotDeclared) {
  const std::string text = report_of(WrongSide{}, star({0, {0, 1}}));
  EXPECT_TRUE(has(text, "sweep 'WrongSide' reads field 'u' at offset (0, -1)")) << text;
}

TEST(Checked, ReportsACornerOfAStar) {
  const std::string text = report_of(Corner{}, star(1));
  EXPECT_TRUE(has(text, "sweep 'Corner' reads field 'u' at offset (1, -1)")) << text;
}

TEST(Checked, ReportsReadingWhatIsOnlyWritten) {
  const std::string text = report_of(ReadsItsResult{}, star(1));
  EXPECT_TRUE(has(text, "sweep 'ReadsItsResult' reads field 'v' in cell (")) << text;
  EXPECT_TRUE(has(text, "declares only writes; declare updates(v)")) << text;
}

TEST(Checked, NamesTheCellByItsGlobalIndex) {
  const std::string text = report_of(OnlyAtOneCell{}, {});
  EXPECT_TRUE(has(text, "at offset (0, 1) from cell (" + std::to_string(8 * world().rank() + 5) + ", 3)"))
      << text;
}

TEST(Checked, LooksIntoComponents) {
  Grid<2> grid(world(), {8L * world().size(), 8}, {.halo = 1, .periodic = true});
  Field<float[2]> a(grid, "a");
  Field<double> v(grid, "v");
  run(sweep(SecondComponent{}, grid.all(), reads(a, star(1)), writes(v)));
  EXPECT_THROW(run(sweep(SecondComponent{}, grid.all(), reads(a), writes(v))), Error);
}

TEST(Checked, ComputesTheSame) {
  Grid<2> grid(world(), {16, 8}, {.halo = 1, .periodic = true});
  Field<double> u(grid, "u"), v(grid, "v");
  u.from_host(std::vector<double>(u.to_host().size(), 1.5));
  run(sweep(Honest{}, grid.all(), reads(u, star(1)), writes(v)));
  for (const double value : v.to_host()) EXPECT_EQ(value, 6.0);
}

} // namespace
} // namespace tasuki
