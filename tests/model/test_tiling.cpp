// How a block is cut into tiles: what is chosen fits, and every number of a tile has a place of its own.
#include <tasuki/model/tiling.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <set>

namespace tasuki {
namespace {

using test::pick;
using test::Random;

TilingRequest some_request(Random& random) {
  TilingRequest r;
  r.dims = static_cast<int>(pick(random, 1, 3));
  for (int a = 0; a < r.dims; ++a) {
    r.extents[a] = pick(random, 8, r.dims == 3 ? 80 : 600);
    r.reach[a] = static_cast<int>(pick(random, 0, 2));
    r.most_halo[a] = static_cast<int>(pick(random, 2, 12));
  }
  r.reach[0] = std::max(1, r.reach[0]);
  r.number_bytes = pick(random, 0, 1) ? 8 : 4;
  r.slot_bytes = 2 * r.number_bytes;
  r.fixed_bytes = {0, r.number_bytes, 3 * r.number_bytes};
  r.most_depth = static_cast<int>(pick(random, 1, 8));
  r.remote = pick(random, 0, 1) != 0;
  r.limits.possible = true;
  r.limits.multiprocessors = static_cast<int>(pick(random, 1, 16));
  r.limits.threads = 1024;
  r.limits.shared_bytes = static_cast<int>(pick(random, 8, 220)) * 1024;
  r.limits.words = 6;
  return r;
}

void expect_fits(const TilingRequest& r, const TilingChoice& choice) {
  EXPECT_LE(choice.shared_bytes, r.limits.shared_bytes);
  for (int a = 0; a < r.dims; ++a) {
    EXPECT_GE(choice.tiles[a], 1);
    EXPECT_LE(choice.depth * r.reach[a], r.most_halo[a]);
    EXPECT_GE(static_cast<long>(tile_cells(r, a, choice.tiles[a])) * choice.tiles[a], r.extents[a]);
  }
  const long slots =
      static_cast<long>(tile_layout(r, choice.tiles, choice.depth, choice.depth).plane) * r.slot_bytes;
  EXPECT_GE(choice.shared_bytes, slots);
  EXPECT_GT(choice.seconds, 0);
}

TEST(Tiling, OfResidentKernelsFitsIntoTheDevice) {
  Random random = test::random(51);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  int found = 0;
  for (int round = 0; round < 6000; ++round) {
    TilingRequest r = some_request(random);
    const auto choice = best_tiling(r);
    if (!choice) continue;
    ++found;
    expect_fits(r, *choice);
    int tiles = 1;
    for (int a = 0; a < r.dims; ++a) tiles *= choice->tiles[a];
    EXPECT_LE(tiles, r.limits.multiprocessors); // a tile stays on each
    EXPECT_LE(choice->depth, r.most_depth);
    r.depth = choice->depth; // asked for, it is the same
    const auto again = best_tiling(r);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->tiles, choice->tiles);
    EXPECT_EQ(again->seconds, choice->seconds);
    // No other depth is better.
    for (r.depth = 1; r.depth <= r.most_depth; ++r.depth)
      if (const auto other = best_tiling(r)) {
        EXPECT_EQ(other->depth, r.depth);
        EXPECT_GE(other->seconds, choice->seconds * (1 - 1e-6));
      }
  }
  EXPECT_GT(found, 1200);
}

TEST(Tiling, ExchangesSeldomWhereMailIsDear) {
  TilingRequest r;
  r.dims = 2;
  r.extents = {512, 512};
  r.reach = {1, 1};
  r.most_halo = {16, 16};
  r.slot_bytes = 8;
  r.limits = {.possible = true,
              .reason = "",
              .multiprocessors = 132,
              .threads = 1024,
              .shared_bytes = 200 << 10,
              .words = 6};
  const auto near = best_tiling(r);
  r.remote = true;
  const auto far = best_tiling(r);
  ASSERT_TRUE(near && far);
  EXPECT_GE(far->depth, near->depth);
  EXPECT_GT(far->depth, 1);
  EXPECT_GT(far->seconds, near->seconds);
  r.limits.shared_bytes = 100; // not a cell
  EXPECT_FALSE(best_tiling(r));
}

TEST(Tiling, KeepsWhatDoesNotChangeWhereThereIsRoom) {
  TilingRequest r;
  r.dims = 2;
  r.extents = {64, 64};
  r.reach = {1, 1};
  r.most_halo = {1, 1};
  r.slot_bytes = 8;
  r.fixed_bytes = {0, 4, 40};
  r.limits = {.possible = true,
              .reason = "",
              .multiprocessors = 1,
              .threads = 1024,
              .shared_bytes = 227 << 10,
              .words = 6};
  EXPECT_EQ(best_tiling(r)->pinned, kAllPinned);
  r.limits.shared_bytes = 64 << 10;
  EXPECT_EQ(best_tiling(r)->pinned, kSomePinned);
  r.limits.shared_bytes = 40 << 10;
  EXPECT_EQ(best_tiling(r)->pinned, kNonePinned);
}

TEST(Tiling, OfPassesHasTwoStepsOrMore) {
  Random random = test::random(52);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  int found = 0;
  for (int round = 0; round < 60; ++round) {
    TilingRequest r = some_request(random);
    r.odd_depth = pick(random, 0, 1) != 0;
    const auto choice = best_pass(r);
    if (!choice) continue;
    ++found;
    expect_fits(r, *choice);
    EXPECT_GE(choice->depth, 2);
    if (r.odd_depth) {
      EXPECT_EQ(choice->depth % 2, 1);
    }
  }
  EXPECT_GT(found, 10);
}

TEST(Tiling, GivesEveryNumberAPlace) {
  Random random = test::random(53);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (int round = 0; round < 60; ++round) {
    TilingRequest r = some_request(random);
    for (int a = 0; a < r.dims; ++a) r.extents[a] = pick(random, 8, 40);
    std::array<int, kMaxDims> tiles{};
    for (int a = 0; a < r.dims; ++a) tiles[a] = static_cast<int>(pick(random, 1, 4));
    const int depth = static_cast<int>(pick(random, 1, 3));
    const TileLayout layout = tile_layout(r, tiles, depth, depth);
    EXPECT_EQ(layout.stride[0], 1);
    long n[3] = {1, 1, 1};
    for (int a = 0; a < r.dims; ++a) n[a] = tile_cells(r, a, tiles[a]) + 2L * depth * r.reach[a];
    std::set<long> places;
    for (long z = 0; z < n[2]; ++z)
      for (long y = 0; y < n[1]; ++y)
        for (long x = 0; x < n[0]; ++x) places.insert(x + y * layout.stride[1] + z * layout.stride[2]);
    EXPECT_EQ(static_cast<long>(places.size()), n[0] * n[1] * n[2]);
    EXPECT_LT(*places.rbegin(), layout.plane);
  }
  EXPECT_EQ(padded_bytes(0), 0);
  EXPECT_EQ(padded_bytes(1), 16);
  EXPECT_EQ(padded_bytes(32), 32);
}

} // namespace
} // namespace tasuki
