// Pages of the host that mirror a device's, against one array: whoever has the turn sees what the other wrote last.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <remote/client/mirror.hpp>

#include <cstdlib>
#include <cstring>
#include <random>

using namespace tasuki::remote;

namespace {

constexpr u64 bytes = 64 * Mirror::block, arena = 4 * bytes;

struct Pair {
  u64 base;
  Mirror mirror;
  std::vector<unsigned char> device = std::vector<unsigned char>(bytes, 0);
  u64 sent = 0, fetched = 0, fetches = 0;

  Pair() : base(reserve()), mirror(base, arena) { EXPECT_TRUE(mirror.add(base, bytes)); }
  ~Pair() { munmap(reinterpret_cast<void*>(base), arena); }
  static u64 reserve() {
    return reinterpret_cast<u64>(
        mmap(nullptr, arena, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  }
  unsigned char* host(u64 offset) { return reinterpret_cast<unsigned char*>(base + offset); }
  bool give(u64 offset = 0, u64 size = bytes) {
    return mirror.give(base + offset, size, [&](u64 to, View from) {
      std::memcpy(device.data() + (to - base), from.data, from.size);
      sent += from.size;
    });
  }
  bool touch(u64 offset, bool writes) { // as the handler of a signal would
    return mirror.touched(base + offset, writes, [&](void* to, u64 from, u64 size) {
      std::memcpy(to, device.data() + (from - base), size);
      fetched += size;
      ++fetches;
    });
  }
};

} // namespace

TEST(Mirror, WhatIsUntouchedIsNotSent) {
  Pair pair;
  *pair.host(5) = 1; // fresh memory needs no handler
  *pair.host(7 * Mirror::block + 1) = 2;
  EXPECT_TRUE(pair.give());
  EXPECT_EQ(pair.sent, 2 * Mirror::block);
  EXPECT_EQ(pair.device[5], 1);
  EXPECT_EQ(pair.device[7 * Mirror::block + 1], 2);
  EXPECT_FALSE(pair.give());
  pair.device[5] = 9;
  EXPECT_TRUE(pair.touch(5, false));
  EXPECT_EQ(*pair.host(5), 9);
  EXPECT_FALSE(pair.give()); // it was read only
  EXPECT_EQ(pair.sent, 2 * Mirror::block);
}

TEST(Mirror, FetchesGrowWhereTheHostGoesOn) {
  Pair pair;
  pair.give();
  u64 touches = 0;
  for (u64 at = 0; at < bytes; at += Mirror::block)
    if (pair.mirror.lacks(pair.base + at, 1)) {
      EXPECT_TRUE(pair.touch(at, false));
      ++touches;
    }
  EXPECT_EQ(pair.fetched, bytes);
  EXPECT_EQ(pair.fetches, touches);
  EXPECT_LE(touches, 8u); // 1, 2, 4 .. blocks
  EXPECT_FALSE(pair.touch(bytes, false)) << "no memory is there";
}

TEST(Mirror, AddressesThatAreUsedAgainBeginWithZeros) {
  Pair pair;
  *pair.host(3) = 7;
  pair.mirror.remove(pair.base, bytes);
  EXPECT_FALSE(pair.touch(3, false));
  ASSERT_TRUE(pair.mirror.add(pair.base, bytes));
  EXPECT_EQ(*pair.host(3), 0);
  EXPECT_FALSE(pair.give() && pair.device[3]);
}

TEST(Mirror, TurnsAtRandom) {
  const char* given = std::getenv("TASUKI_TEST_SEED");
  const unsigned seed = given ? static_cast<unsigned>(std::atoi(given)) : std::random_device{}();
  std::printf("seed %u\n", seed);
  std::mt19937 dice(seed);
  const auto roll = [&](u64 below) { return std::uniform_int_distribution<u64>(0, below - 1)(dice); };
  Pair pair;
  bool fresh = true; // the host's accesses need no handler yet
  std::vector<unsigned char> expected(bytes, 0);
  for (int turn = 0; turn < 400; ++turn) {
    for (u64 n = roll(20); n > 0; --n) { // the host
      const u64 at = roll(bytes);
      const bool writes = roll(2);
      ASSERT_TRUE(fresh || pair.touch(at, writes));
      if (writes)
        *pair.host(at) = expected[at] = static_cast<unsigned char>(roll(256));
      else
        ASSERT_EQ(*pair.host(at), expected[at]) << "turn " << turn;
    }
    if (roll(4)) { // the device, on all
      pair.give();
      fresh = false;
      for (u64 n = roll(20); n > 0; --n) {
        const u64 at = roll(bytes);
        ASSERT_EQ(pair.device[at], expected[at]) << "turn " << turn;
        pair.device[at] = expected[at] = static_cast<unsigned char>(roll(256));
      }
    } else { // or on a few bytes
      const u64 at = roll(bytes), size = 1 + roll(std::min<u64>(bytes - at, 3 * Mirror::block));
      pair.give(at, size);
      for (u64 n = at; n < at + size; n += 1 + size / 50) {
        ASSERT_EQ(pair.device[n], expected[n]) << "turn " << turn;
        pair.device[n] = expected[n] = static_cast<unsigned char>(roll(256));
      }
      if (fresh) pair.give(), fresh = false;
    }
  }
}
