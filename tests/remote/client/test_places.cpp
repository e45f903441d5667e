// Where the arenas of many devices lie: they fit, they are apart, and each holds its device's memory as long as 47 bits do.
#include <gtest/gtest.h>

#include <remote/client/places.hpp>
#include <remote/wire/reserve.hpp>

#include <sys/mman.h>

#include <map>

using namespace tasuki::remote;

namespace {

constexpr u64 gib = 1ull << 30, end_of_addresses = 1ull << 47;
// An address there is no device's memory, though a kernel may use it.
constexpr u64 host_variables = 0x3e0000000000, driver_variables = 0x7e0000000000 - 64 * gib;

TEST(Places, OfTheirOwnAreApartAndInsideTheAddressesOfAProcess) {
  for (const int count : {1, 2, 60, 61, 64, 170, 171, 343, 1024, 4096})
    for (const u64 memory : {u64(0), 80 * gib, 141 * gib, 2048 * gib}) {
      const u64 bytes = arena_bytes(count, memory);
      EXPECT_GT(own_bytes(bytes), 0u);
      EXPECT_EQ(own_bytes(bytes) % (32u << 20), 0u);
      std::map<u64, u64> taken;
      for (int n = 0; n < count; ++n) {
        const auto places = places_of(n, count, bytes);
        ASSERT_GE(places.size(), 6u) << count;
        const u64 from = places[0].address, to = from + places[0].bytes;
        EXPECT_EQ(places[0].bytes, bytes);
        EXPECT_EQ(from % (2u << 20), 0u);
        for (const u64 others : {host_variables, driver_variables})
          ASSERT_TRUE(to <= others || others + 64 * gib <= from) << count << " of " << memory;
        ASSERT_LE(to, end_of_addresses) << count << " of " << memory;
        const auto next = taken.lower_bound(from);
        ASSERT_TRUE(next == taken.end() || to <= next->first) << count << " of " << memory;
        ASSERT_TRUE(next == taken.begin() || std::prev(next)->second <= from) << count << " of " << memory;
        taken[from] = to;
      }
    }
}

TEST(Places, HoldTheMemoryOfTheirDeviceWhereverThatIsPossible) {
  EXPECT_EQ(arena_bytes(1, 80 * gib), 512 * gib);
  EXPECT_EQ(arena_bytes(64, 80 * gib), 512 * gib);
  EXPECT_EQ(arena_bytes(170, 80 * gib), 512 * gib);
  EXPECT_GE(own_bytes(arena_bytes(4, 2048 * gib)), 2048 * gib);
  EXPECT_GE(own_bytes(arena_bytes(600, 141 * gib)), 141 * gib);
  EXPECT_GE(own_bytes(arena_bytes(1024, 80 * gib)), 80 * gib);
  EXPECT_LT(own_bytes(arena_bytes(1024, 141 * gib)), 141 * gib); // 144 TiB are more than there are
  EXPECT_GE(own_bytes(arena_bytes(1024, 141 * gib)), 80 * gib);
  u64 before = ~0ull;
  for (int count = 1; count < 2048; ++count) {
    const u64 bytes = arena_bytes(count, 40 * gib);
    ASSERT_LE(bytes, before) << count;
    before = bytes;
  }
}

// As the client takes them, in this process, with all that lies in it.
TEST(Places, OfAThousandDevicesAreAllToBeHad) {
#if defined(__SANITIZE_THREAD__)
  constexpr int count = 2; // at the one place where it leaves room
#else
  constexpr int count = 1024;
#endif
  const u64 bytes = arena_bytes(count, 64 * gib);
  EXPECT_GE(own_bytes(bytes), 64 * gib);
  std::vector<void*> kept;
  for (int n = 0; n < count; ++n)
    for (const ArenaPlace& place : places_of(n, count, bytes)) {
      if (!reserve_at(place.address, place.bytes)) continue;
      kept.push_back(reinterpret_cast<void*>(place.address));
      break;
    }
  EXPECT_EQ(kept.size(), static_cast<std::size_t>(count));
  for (void* at : kept) munmap(at, bytes);
}

} // namespace
