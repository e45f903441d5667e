// What a sweep's fields are to kernels of many steps: which lie in shared memory, which have their halos mailed, which stay
// where they are, and which of them such kernels cannot take.
#include <tasuki/run/roles.hpp>
#include <tasuki/run/run.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

namespace tasuki {
namespace {

using test::world;

struct Mean {
  TS_CELL void operator()(auto c, auto w, auto u, auto v) const { v(c) = w(c) * (u(c, -2, 0) + u(c, 0, 1)); }
};
struct Spread { // w is read beyond the cell, and never changes
  TS_CELL void operator()(auto c, auto w, auto u, auto v) const { v(c) = w(c, 1, 0) * u(c, 1, 0); }
};
struct Copy {
  TS_CELL void operator()(auto c, auto u, auto v) const { v(c) = u(c); }
};

template <class Weight>
struct Fields {
  Grid<2> grid{world(), {48, 36}, {.halo = 2, .periodic = {true, false}}};
  Field<double> u{grid, "u"}, v{grid, "v"};
  Field<Weight> w{grid, "w"};
  FieldCore *at_u = u.core().get(), *at_v = v.core().get(), *at_w = w.core().get();
  std::vector<FieldCore*> both{at_u, at_v};

  Sweep mean() const { return sweep(Mean{}, grid.inner(2), reads(w), reads(u, star({2, 1})), writes(v)); }
  Sweep spread() const {
    return sweep(Spread{}, grid.inner(2), reads(w, star(1)), reads(u, star(1)), writes(v));
  }
  Roles roles(const Sweep& what) const { return roles_of(*march_at(program(what, swap(u, v)), 1, 9, 4)); }
};

using Places = std::vector<std::size_t>;

TEST(Roles, KeepWhatChangesAndLeaveWhatIsReadInItsCell) {
  const Fields<float> f;
  const Roles roles = f.roles(f.mean());
  EXPECT_EQ(roles.trouble, "");
  EXPECT_EQ(std::set(roles.slots.begin(), roles.slots.end()), std::set(f.both.begin(), f.both.end()));
  EXPECT_EQ(roles.mailed, Places{1}); // u, the second access
  EXPECT_EQ(roles.fixed, Places{0});
  EXPECT_EQ(roles.reach[0], 2);
  EXPECT_EQ(roles.reach[1], 1);
}

TEST(Roles, KeepWhatIsReadBeyondItsCellAndMailNoneOfIt) {
  const Fields<double> f;
  const Roles roles = f.roles(f.spread());
  EXPECT_EQ(roles.trouble, "");
  EXPECT_EQ(roles.slots.size(), 3u);
  EXPECT_EQ(std::count(roles.slots.begin(), roles.slots.end(), f.at_w), 1);
  EXPECT_EQ(roles.mailed, Places{1});
  EXPECT_TRUE(roles.fixed.empty());
}

TEST(Roles, RefuseWhatTilesCannotTake) {
  const Fields<float> of_other_bytes; // beside doubles, read beyond the cell
  EXPECT_NE(of_other_bytes.roles(of_other_bytes.spread()).trouble.find("differ in the bytes"),
            std::string::npos);
  const Fields<double> f;
  const Roles roles = f.roles(sweep(Copy{}, f.grid.all(), reads(f.u), writes(f.v)));
  EXPECT_NE(roles.trouble.find("'u' is read in the cell itself and passed on"), std::string::npos)
      << roles.trouble;
}

TEST(Roles, KnowTheRegionInCellsOfTheRank) {
  const Fields<double> f;
  TiledLaunch launch;
  ASSERT_TRUE(local_region(*f.mean(), launch));
  const Box owned = f.grid.core()->owned();
  EXPECT_EQ(launch.region_lo[0], -kTiledEndless); // x has no end
  EXPECT_EQ(launch.region_hi[0], kTiledEndless);
  EXPECT_EQ(launch.region_lo[1], 2 - owned.lo[1]);
  EXPECT_EQ(launch.region_hi[1], 34 - owned.lo[1]);
  const Sweep some = sweep(Copy{}, f.grid.box({1, 1}, {5, 5}), reads(f.u), writes(f.v));
  EXPECT_FALSE(local_region(*some, launch)); // images of a part of a periodic axis
}

TEST(Roles, OfFixedFieldsNeedHalosAsDeepAsTheStepsReach) {
  const Fields<float> f;
  const auto march = march_at(program(f.mean(), swap(f.u, f.v)), 1, 9, 4);
  ASSERT_TRUE(march);
  EXPECT_TRUE(fixed_needs(*march, 0).empty());
  for (const HaloNeed& need : fixed_needs(*march, 1)) EXPECT_EQ(need.field->name(), "w");
}

} // namespace
} // namespace tasuki
