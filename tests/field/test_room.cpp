// The room that fields have on a device: what is left of it against a ledger, and which fields go to memory
// of the host.
#include <tasuki/base/reduce.hpp>
#include <tasuki/device/memory.hpp>
#include <tasuki/field/grid.hpp>
#include <tasuki/field/memory_source.hpp>
#include <tasuki/field/room.hpp>
#include <tests/checks.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <optional>

namespace tasuki {
namespace {

constexpr std::size_t kLimit = 160000;

std::unique_ptr<World> world_with_room(std::size_t bytes, const char* executor = "auto") {
  return test::world_with([&](Settings& s) {
    s.device = "host";
    s.device_memory = bytes;
    s.executor = executor;
  });
}

// Parts come, go and change hands; what is left is the limit without those that are there, and nothing where
// they are more.
TEST(Room, IsWhatItsSharesLeave) {
  const auto made = world_with_room(kLimit);
  Room& room = made->part<Device>().part<Room>();
  EXPECT_TRUE(room.limited());
  EXPECT_EQ(room.spare(), kLimit / 16);
  test::Random random = test::random(96);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  const auto drawn = [&](long most) { return static_cast<std::size_t>(test::pick(random, 0, most)); };
  std::vector<Room::Share> shares(6);
  std::vector<std::size_t> ledger(shares.size());
  for (int round = 0; round < 300; ++round) {
    const std::size_t k = drawn(5), other = drawn(5), bytes = drawn(kLimit / 2);
    switch (drawn(3)) {
      case 0:
        shares[k] = Room::Share(room, bytes); // and the one that it was is gone
        ledger[k] = bytes;
        break;
      case 1:
        shares[k] = Room::Share();
        ledger[k] = 0;
        break;
      case 2: {
        Room::Share moved(std::move(shares[k]));
        shares[k] = std::move(moved);
        break;
      }
      default: std::swap(shares[k], shares[other]); std::swap(ledger[k], ledger[other]);
    }
    const std::size_t taken = std::accumulate(ledger.begin(), ledger.end(), std::size_t{0});
    ASSERT_EQ(room.free(), taken < kLimit ? kLimit - taken : 0) << "round " << round;
  }
  shares[0] = Room::Share(room, kLimit);
  shares[1] = Room::Share(room, 1);
  EXPECT_EQ(room.free(), 0);
  shares.clear();
  EXPECT_EQ(room.free(), kLimit);
}

TEST(Room, OfAHostIsItsMemoryWhereNothingIsSaid) {
  const auto made = world_with_room(0);
  Device& device = made->part<Device>();
  EXPECT_FALSE(device.part<Room>().limited());
  EXPECT_GT(device.part<Room>().free(), kLimit);
  const auto limited = world_with_room(kLimit);
  EXPECT_FALSE(Device::host(*limited).part<Room>().limited())
      << "--device-memory is the world's own device's";
}

TEST(Room, HoldsWhatEveryRankHasRoomFor) {
  const auto made = world_with_room(kLimit);
  Room& room = made->part<Device>().part<Room>();
  EXPECT_TRUE(room.holds(kLimit));
  EXPECT_FALSE(room.holds(kLimit + 1));
  EXPECT_TRUE(room.holds(kLimit - 10, 10));
  EXPECT_FALSE(room.holds(kLimit - 10, 11));
  const bool last = made->rank() == made->size() - 1;
  const std::optional<Room::Share> share =
      last ? std::optional<Room::Share>(Room::Share(room, 100)) : std::nullopt;
  EXPECT_TRUE(room.holds(kLimit - 100));
  EXPECT_FALSE(room.holds(kLimit - 99)) << "the last rank has less";
}

// The rule for each executor, for a field that just fits and one that is a byte too large.
TEST(Room, SendsFieldsOutsideByTheExecutor) {
  const auto outside = [](World& world, std::size_t bytes) {
    return goes_outside({.device = world.part<Device>(),
                         .field = "u",
                         .bytes = bytes,
                         .number = 0,
                         .grid = nullptr,
                         .storage = {}});
  };
  const auto streamed = world_with_room(kLimit, "streamed"), by_auto = world_with_room(kLimit),
             eager = world_with_room(kLimit, "eager"), endless = world_with_room(0);
  EXPECT_TRUE(outside(*streamed, 1));
  EXPECT_TRUE(outside(*streamed, 2 * kLimit));
  EXPECT_FALSE(outside(*by_auto, kLimit - kLimit / 16)); // windows are spared room
  EXPECT_TRUE(outside(*by_auto, kLimit - kLimit / 16 + 1));
  EXPECT_FALSE(outside(*eager, kLimit));
  EXPECT_FALSE(outside(*endless, kLimit));
  EXPECT_EQ(test::refusal([&] { outside(*eager, kLimit + 1); }),
            "field 'u' of " + bytes_text(kLimit + 1) + " does not fit: the device has " + bytes_text(kLimit) +
                " left; take --executor auto or streamed, a smaller grid or more ranks");
  EXPECT_FALSE(goes_outside({.device = Device::host(*streamed),
                             .field = "u",
                             .bytes = 2 * kLimit,
                             .number = 0,
                             .grid = nullptr,
                             .storage = {}}))
      << "a second device has no windows";
}

} // namespace
} // namespace tasuki
