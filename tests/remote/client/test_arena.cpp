// Addresses as they are given out, held against a plain list of what is live.
#include <gtest/gtest.h>

#include <remote/client/arena.hpp>

#include <cstdlib>
#include <iostream>
#include <map>
#include <random>

using namespace tasuki::remote;

namespace {

constexpr std::uint64_t base = 0x200000000000ull, mib = 1u << 20;

// A device with so much memory.
struct Fake {
  std::uint64_t left;
  std::map<std::uint64_t, std::uint64_t> mapped;
  int waits = 0;
  Arena::Worker worker() {
    return {[this](std::uint64_t at, std::uint64_t bytes) {
              if (bytes > left) return false;
              EXPECT_EQ(at % Arena::granule, 0u);
              EXPECT_EQ(bytes % Arena::granule, 0u);
              const auto next = mapped.lower_bound(at);
              EXPECT_TRUE(next == mapped.end() || at + bytes <= next->first);
              EXPECT_TRUE(next == mapped.begin() || std::prev(next)->first + std::prev(next)->second <= at);
              mapped[at] = bytes;
              left -= bytes;
              return true;
            },
            [this](std::uint64_t at, std::uint64_t bytes) {
              ASSERT_EQ(mapped.count(at), 1u);
              EXPECT_EQ(mapped[at], bytes);
              mapped.erase(at);
              left += bytes;
            },
            [this] { ++waits; }};
  }
};

TEST(Arena, IsOutOfMemoryExactlyAtTheLastUnit) {
  Fake device{100 * mib, {}};
  Arena arena(base, 1ull << 39, device.worker());
  const auto all = arena.allocate(100 * mib);
  EXPECT_EQ(all, base);
  EXPECT_EQ(arena.allocate(1), 0u);
  EXPECT_TRUE(arena.release(all, false));
  EXPECT_FALSE(arena.release(all, false));
  for (int n = 0; n < 50; ++n) EXPECT_NE(arena.allocate(2 * mib), 0u) << n;
  EXPECT_EQ(arena.allocate(256), 0u);
}

TEST(Arena, GivesMemoryOfABusyDeviceOutAgainAfterAWaitOnly) {
  Fake device{64 * mib, {}};
  Arena arena(base, 1ull << 39, device.worker());
  const auto a = arena.allocate(30 * mib);
  EXPECT_TRUE(arena.release(a, true));
  const auto b = arena.allocate(30 * mib);
  EXPECT_NE(a, b);
  EXPECT_EQ(device.waits, 0);
  EXPECT_EQ(arena.allocate(30 * mib), a);
  EXPECT_EQ(device.waits, 1);
}

TEST(Arena, MapsMemoryAnewWhereItLiesInPieces) {
  Fake device{96 * mib, {}};
  Arena arena(base, 1ull << 39, device.worker());
  std::uint64_t pieces[3];
  for (auto& piece : pieces) piece = arena.allocate(32 * mib);
  arena.release(pieces[0], false);
  arena.release(pieces[2], false);
  EXPECT_NE(arena.allocate(64 * mib), 0u);
  EXPECT_EQ(arena.allocate(1), 0u);
}

TEST(Arena, NeverGivesAByteOutTwice) {
  const char* given = std::getenv("TASUKI_TEST_SEED");
  const unsigned seed = given ? static_cast<unsigned>(std::atoi(given)) : std::random_device()();
  std::cout << "seed " << seed << '\n';
  std::mt19937 random(seed);
  Fake device{512 * mib, {}};
  Arena arena(base, 1ull << 39, device.worker());
  std::map<std::uint64_t, std::uint64_t> live;
  std::uint64_t used = 0;
  for (int n = 0; n < 20000; ++n) {
    if (live.empty() || random() % 5 < 3) {
      const std::uint64_t bytes = 1 + random() % (random() % 10 ? 4096 : 40 * mib);
      const auto at = arena.allocate(bytes);
      if (!at) {
        EXPECT_GT(used + bytes + 2 * 4096 * live.size(), 256 * mib); // not while most of it is free
        continue;
      }
      EXPECT_EQ(at % Arena::alignment, 0u);
      const auto next = live.lower_bound(at);
      EXPECT_TRUE(next == live.end() || at + bytes <= next->first);
      EXPECT_TRUE(next == live.begin() || std::prev(next)->first + std::prev(next)->second <= at);
      live[at] = bytes;
      used += bytes;
      const auto range = arena.find(at + bytes - 1);
      ASSERT_TRUE(range);
      EXPECT_EQ(range->address, at);
    } else {
      auto one = live.begin();
      std::advance(one, random() % std::min<std::size_t>(live.size(), 100));
      EXPECT_TRUE(arena.release(one->first, random() % 2));
      used -= one->second;
      live.erase(one);
      if (random() % 50 == 0) arena.settled();
    }
  }
  for (const auto& [at, bytes] : live) arena.release(at, false);
  arena.settled();
  EXPECT_EQ(arena.used(), 0u);
  EXPECT_EQ(arena.allocate(512 * mib), base);
}

} // namespace
