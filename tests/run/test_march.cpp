// Which steps are one sweep over and over, and how a block is cut into tiles for them.
#include <tasuki/model/tiling.hpp>
#include <tasuki/run/march.hpp>
#include <tasuki/run/run.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace tasuki {
namespace {

using test::world;

struct Mean {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    v(c) = 0.25 * (u(c, -1, 0) + u(c, 1, 0) + u(c, 0, -1) + u(c, 0, 1));
  }
};
struct Weighted {
  TS_CELL void operator()(auto c, auto w, auto u, auto v) const { v(c) = w(c) * u(c, 1, 0); }
};

struct Fields {
  Grid<2> grid{world(), {24, 18}, {.periodic = true}};
  Field<double> u{grid, "u"}, v{grid, "v"}, w{grid, "w"};
  Sweep mean = sweep(Mean{}, grid.all(), reads(u, star(1)), writes(v));
  Sweep weighted = sweep(Weighted{}, grid.all(), reads(w), reads(u, star(1)), writes(v));
};

TEST(March, OfASweepAndASwapGoesOnToTheEnd) {
  const Fields f;
  const auto march = march_at(program(f.mean, swap(f.u, f.v)), 1, 100, 4);
  ASSERT_TRUE(march);
  EXPECT_EQ(march->sweep, f.mean);
  EXPECT_EQ(march->steps, 100);
  EXPECT_EQ(march->phases, 2);
  // What is read in a step was written in the one before.
  EXPECT_EQ(march->memory[0][0], f.u.core().get());
  EXPECT_EQ(march->memory[0][1], f.v.core().get());
  EXPECT_EQ(march->memory[1][0], march->memory[0][1]);
  EXPECT_EQ(march->memory[1][1], march->memory[0][0]);
  EXPECT_TRUE(march->changes(f.u.core().get()));
  EXPECT_TRUE(march->changes(f.v.core().get()));
}

TEST(March, KnowsWhatNeverChanges) {
  const Fields f;
  const auto march = march_at(program(f.weighted, swap(f.u, f.v)), 1, 9, 4);
  ASSERT_TRUE(march);
  EXPECT_FALSE(march->changes(f.w.core().get()));
  EXPECT_TRUE(march->sweep->accesses()[0].here);
  EXPECT_FALSE(march->sweep->accesses()[1].here);
}

// What stands in the way of a program's first stretch is said; a later one that nothing stands in the way of is enough.
TEST(March, SaysWhyThereIsNone) {
  const Fields f;
  const auto fine = [](const March&) { return std::string(); };
  const auto no = [](const March&) { return std::string("it is too wide"); };
  const Program plain = program(f.mean, swap(f.u, f.v)), two = program(f.mean, f.weighted, swap(f.u, f.v));
  const Program often = program(every(3, f.weighted, f.mean), swap(f.u, f.v));
  const Program seldom = program(every(10, f.weighted, f.mean), swap(f.u, f.v));
  EXPECT_EQ(trouble_with_marches(plain, 4, 4, fine), "");
  EXPECT_EQ(trouble_with_marches(seldom, 4, 4, fine), "");
  EXPECT_EQ(trouble_with_marches(plain, 4, 4, no), "it is too wide");
  EXPECT_EQ(trouble_with_marches(two, 4, 4, fine), "a step is more than one sweep and swaps");
  EXPECT_EQ(trouble_with_marches(often, 4, 4, fine), "no 4 steps in a row are alike");
}

TEST(March, EndsWhereAnotherSweepIsDue) {
  const Fields f;
  const Program both = program(every(10, f.weighted, f.mean), swap(f.u, f.v));
  const auto march = march_at(both, 1, 100, 4);
  ASSERT_TRUE(march);
  EXPECT_EQ(march->steps, 9);
  EXPECT_EQ(march_at(both, 10, 100, 4)->steps, 1);
}

TEST(March, IsNoneOfSeveralSweepsOrCallsOrLongRounds) {
  const Fields f;
  EXPECT_FALSE(march_at(program(f.mean, f.weighted), 1, 9, 4));
  EXPECT_FALSE(march_at(program(f.mean, call([](long) {})), 1, 9, 4));
  EXPECT_FALSE(march_at(program(f.mean, swap(f.u, f.v)), 1, 9, 1));
  EXPECT_TRUE(march_at(program(f.mean, swap(f.u, f.v), swap(f.v, f.w)), 1, 9, 4)); // three memories in turn
}

TEST(March, LeavesTheFieldsAsItsStepsWould) {
  const Fields f;
  const auto march = march_at(program(f.mean, swap(f.u, f.v)), 1, 9, 4);
  const int before = f.u.core()->memory_id();
  march->swap_fields(8);
  EXPECT_EQ(f.u.core()->memory_id(), before);
  march->swap_fields(7);
  EXPECT_EQ(f.v.core()->memory_id(), before);
}

TilingRequest laplace(long nx, long ny) {
  TilingRequest request{.dims = 2, .extents = {nx, ny}, .reach = {1, 1}, .most_halo = {1 << 20, 1 << 20}};
  request.slot_bytes = 8;
  request.limits = {.possible = true, .reason = "", .multiprocessors = 132, .threads = 1024};
  request.limits.shared_bytes = 230000;
  request.limits.words = 2;
  return request;
}

TEST(Tiling, HasATileAMultiprocessorAndFits) {
  for (const long n : {100l, 512l, 1024l, 1500l}) {
    const TilingRequest request = laplace(n, n);
    const auto choice = best_tiling(request);
    ASSERT_TRUE(choice) << n;
    EXPECT_LE(choice->tiles[0] * choice->tiles[1], 132);
    long cells = 1;
    for (int a = 0; a < 2; ++a) cells *= tile_cells(request, a, choice->tiles[a]) + 2 * choice->depth;
    EXPECT_LE(cells * 8, choice->shared_bytes);
    EXPECT_LE(choice->shared_bytes, 230000);
  }
}

TEST(Tiling, IsNoneWhereTheFieldsDoNotFit) {
  EXPECT_FALSE(best_tiling(laplace(4096, 4096)));
  TilingRequest narrow = laplace(512, 512);
  narrow.most_halo = {0, 1 << 20}; // no halo may cross the next block
  EXPECT_FALSE(best_tiling(narrow));
}

TEST(Tiling, KeepsTheDepthThatIsAskedFor) {
  TilingRequest request = laplace(512, 512);
  for (const int depth : {1, 3, 5}) {
    request.depth = depth;
    EXPECT_EQ(best_tiling(request)->depth, depth);
  }
}

TEST(Tiling, ExchangesMoreSeldomWhereMailHasALongWay) {
  TilingRequest near = laplace(512, 512), far = near;
  far.remote = true;
  EXPECT_GE(best_tiling(far)->depth, best_tiling(near)->depth);
}

TEST(Tiling, CopiesWhatNeverChangesAsFarAsThereIsRoom) {
  TilingRequest request = laplace(512, 512);
  request.depth = 1;
  request.fixed_bytes = {0, 8, 12};
  EXPECT_EQ(best_tiling(request)->pinned, kAllPinned);
  request.fixed_bytes = {0, 64, 4096};
  EXPECT_EQ(best_tiling(request)->pinned, kSomePinned);
  request.fixed_bytes = {0, 4096, 8192};
  EXPECT_EQ(best_tiling(request)->pinned, kNonePinned);
}

} // namespace
} // namespace tasuki
