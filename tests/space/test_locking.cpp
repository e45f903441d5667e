// Locks and atomic acts of a space, on all shapes and ways: what was written under a lock is there for who takes it next.
// TASUKI_TEST_ROUNDS makes the tests longer.
#include <tests/checks.hpp>
#include <tests/space/spaces.hpp>

#include <algorithm>
#include <thread>

namespace tasuki::test {
namespace {

TEST(Locking, CarriesWhatWasWrittenUnderTheLock) {
  each_space([](Space& space, const std::string&) {
    const int ranks = space.world().size();
    const auto sum = space.array<long>({600}, space::Map({600}, {1}, 8, ranks - 1, 1), "sum");
    const long before = sum[0] + sum[520]; // everybody has a copy that goes stale
    EXPECT_EQ(before, 0);
    space.sync();
    for (int k = 0; k < rounds(10); ++k) {
      space.lock(7);
      ++sum[0];
      sum[520] += 2; // on another page
      space.unlock(7);
    }
    space.sync();
    EXPECT_EQ(sum[0], rounds(10) * ranks);
    EXPECT_EQ(sum[520], 2 * rounds(10) * ranks);
  });
}

// Ranks of a node send home what all of them wrote, under whichever lock.
TEST(Locking, SideBySideOverOnePage) {
  each_space([](Space& space, const std::string&) {
    const int ranks = space.world().size(), nodes = space.world().nodes(), me = space.world().rank();
    const int turns =
        rounds(nodes > 1 && nodes < ranks ? 100 : 4) / 2 * 2; // two ranks that meet in one are rare
    const auto sums = space.array<long>({600}, space::Map({600}, {1}, 8, ranks / 2, 1), "sums");
    EXPECT_EQ(sums[0] + sums[1], 0);
    space.sync();
    for (int k = 0; k < turns; ++k) {
      const auto which = static_cast<std::size_t>((me + k) % 2);
      space.lock(which);
      ++sums[which];
      space.unlock(which);
    }
    space.sync();
    EXPECT_EQ(sums[0], turns / 2 * ranks);
    EXPECT_EQ(sums[1], turns / 2 * ranks);
  });
}

// What a full cache has sent home before its lock was let go is stale elsewhere all the same.
TEST(Locking, CarriesWhatAFullCacheHasGivenBack) {
  each_space(
      [](Space& space, const std::string&) {
        const int ranks = space.world().size(), me = space.world().rank();
        const int home = std::min(1, ranks - 1);
        const long pages = 600;
        const auto word = space.array<long>({512}, space::Map({512}, {1}, 8, home, 1), "word");
        const auto turn = space.array<long>({1}, space::Map({1}, {1}, 8, home, 1), "turn");
        const auto much =
            space.array<long>({pages * 512}, space::Map({pages * 512}, {1}, 8, home, 1), "much");
        EXPECT_EQ(word[0], 0); // everybody has a copy
        space.sync();
        if (me == 0) {
          space.lock(1);
          word[0] = 5;
          for (long k = 0; k < pages; ++k) much[static_cast<std::size_t>(512 * k)] = k;
          space.unlock(1);
          space.add(&turn[0], 1L);
        }
        while (space.add(&turn[0], 0L) == 0) std::this_thread::yield();
        space.lock(1);
        EXPECT_EQ(word[0], 5);
        space.unlock(1);
        space.sync();
      },
      [](Settings& s) { s.space_cache = 1; });
}

// A writes x under one lock, B reads it under that lock and writes y under another, C sees y under it and so has to see x.
TEST(Locking, WhatWasSeenUnderALockIsHandedOnUnderAnother) {
  each_space([](Space& space, const std::string&) {
    const int ranks = space.world().size(), me = space.world().rank();
    const auto x = space.array<long>({8}, space::Map({8}, {1}, 8, 0, 1), "x");
    const auto y = space.array<long>({8}, space::Map({8}, {1}, 8, ranks - 1, 1), "y");
    ASSERT_EQ(x[0] + y[0], 0);
    space.sync();
    // A chain of all ranks: rank r waits for the word of r - 1 under lock r, and gives its own under lock r + 1.
    for (long round = 1; round <= rounds(1); ++round) {
      for (long found = 0; me > 0 && found != round;) {
        space.lock(static_cast<std::uint64_t>(me));
        found = y[me % 8];
        space.unlock(static_cast<std::uint64_t>(me));
      }
      if (me > 0) {
        ASSERT_EQ(x[me - 1], round * me) << "rank " << me;
      }
      space.lock(static_cast<std::uint64_t>(me) + 1);
      x[me] = round * (me + 1);
      if (me + 1 < ranks) y[(me + 1) % 8] = round;
      space.unlock(static_cast<std::uint64_t>(me) + 1);
      space.sync();
      for (int r = 0; r < ranks; ++r) ASSERT_EQ(x[static_cast<std::size_t>(r)], round * (r + 1));
      space.sync();
    }
  });
}

TEST(Locking, AtomicActsAreAtomicOverAllRanks) {
  each_space([](Space& space, const std::string&) {
    const int ranks = space.world().size(), me = space.world().rank();
    const auto n = space.array<long>({4}, space::Map({4}, {1}, 8, ranks - 1, 1), "n");
    long last = -1;
    for (int k = 0; k < rounds(50); ++k) {
      const long was = space.add(&n[0], 1L);
      EXPECT_GT(was, last) << "this rank added before";
      last = was;
      for (long seen = 0; (seen = space.compare(&n[1], 0L, me + 1L)) != 0;) std::this_thread::yield();
      EXPECT_EQ(space.exchange(&n[1], 0L), me + 1) << "nobody else got in";
    }
    space.sync();
    EXPECT_EQ(n[0], rounds(50) * ranks);
  });
}

TEST(Locking, IsRefusedInWords) {
  each_space([](Space& space, const std::string&) {
    EXPECT_NE(refusal([&] { space.unlock(3); }).find("has it not"), std::string::npos);
    space.lock(static_cast<std::uint64_t>(space.world().rank()));
    EXPECT_NE(
        refusal([&] { space.lock(static_cast<std::uint64_t>(space.world().rank())); }).find("which it has"),
        std::string::npos);
    EXPECT_NE(refusal([&] { space.sync(); }).find("while it has lock"), std::string::npos);
    space.unlock(static_cast<std::uint64_t>(space.world().rank()));
  });
}

} // namespace
} // namespace tasuki::test
