// The tiles of waves: they cover a plane with as few as a thread block allows, and there are none where a wave does not fit.
#include <tasuki/device/kernel/wave.hpp>
#include <tasuki/model/tiling.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

namespace tasuki {
namespace {

using test::pick;
using test::Random;

TilingRequest wave_request(Random& random) {
  TilingRequest r{.dims = 3};
  for (int a = 0; a < 3; ++a) {
    r.extents[a] = pick(random, 1, 400);
    r.reach[a] = static_cast<int>(pick(random, 0, 1));
    r.most_halo[a] = static_cast<int>(pick(random, kWaveSteps * r.reach[a], 12));
  }
  r.number_bytes = pick(random, 0, 1) ? 8 : 4;
  r.slot_bytes = 2 * r.number_bytes;
  r.most_depth = static_cast<int>(pick(random, kWaveSteps, 8));
  r.limits.shared_bytes = wave_bytes(r.number_bytes) + static_cast<int>(pick(random, 0, 9999));
  return r;
}

TEST(WaveTiles, CoverAPlaneWithAsFewAsAThreadBlockAllows) {
  Random random = test::random(61);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (int round = 0; round < 500; ++round) {
    const TilingRequest r = wave_request(random);
    const auto choice = wave_tiles(r);
    ASSERT_TRUE(choice);
    EXPECT_EQ(choice->depth, kWaveSteps);
    EXPECT_LE(choice->shared_bytes, r.limits.shared_bytes);
    EXPECT_EQ(choice->tiles[2], 1); // tiles move along z
    const WaveShape shape = wave_shape(r.number_bytes);
    for (int a = 0; a < 2; ++a) {
      // What a step has spoiled at each end of a tile is not its own.
      const long own = (a == 0 ? shape.wide : shape.rows()) - 2 * kWaveSteps;
      EXPECT_GE(choice->tiles[a] * own, r.extents[a]);
      EXPECT_LT((choice->tiles[a] - 1) * own, r.extents[a]);
    }
  }
}

TEST(WaveTiles, AreNoneWhereAWaveDoesNotFit) {
  Random random = test::random(62);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  const TilingRequest good = wave_request(random);
  ASSERT_TRUE(wave_tiles(good));
  const auto none = [&](const char* why, const auto& change) {
    TilingRequest r = good;
    change(r);
    EXPECT_FALSE(wave_tiles(r)) << why;
  };
  none("two dimensions", [](TilingRequest& r) { r.dims = 2; });
  none("three numbers a cell", [](TilingRequest& r) { r.slot_bytes = 3 * r.number_bytes; });
  none("fewer steps are asked for", [](TilingRequest& r) { r.most_depth = kWaveSteps - 1; });
  none("a byte short of memory",
       [](TilingRequest& r) { r.limits.shared_bytes = wave_bytes(r.number_bytes) - 1; });
  none("a plane whose cells no int counts", [](TilingRequest& r) { r.extents[0] = r.extents[1] = 40000; });
  for (int a = 0; a < 3; ++a) {
    none("reads two cells away", [a](TilingRequest& r) { r.reach[a] = 2, r.most_halo[a] = 12; });
    none("a halo of fewer steps", [a](TilingRequest& r) { r.reach[a] = 1, r.most_halo[a] = kWaveSteps - 1; });
  }
}

} // namespace
} // namespace tasuki
