// Small programs that show one promise each, on all shapes and ways: what is read is compared with what must be there.
// TASUKI_TEST_ROUNDS makes them longer.
#include <tests/checks.hpp>
#include <tests/space/spaces.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

namespace tasuki::test {
namespace {

TEST(Litmus, WhatIsWrittenBeforeIsSeenAfter) {
  each_space([](Space& space, const std::string&) {
    const int ranks = space.world().size(), me = space.world().rank();
    const auto data = space.array<long>({ranks * 1000L}, space.bands({ranks * 1000L}, sizeof(long)), "data");
    for (int round = 1; round <= rounds(12); ++round) {
      const int writer = round % ranks; // into what any rank owns
      if (me == writer)
        for (long k = 0; k < ranks * 1000L; k += 7) data[static_cast<std::size_t>(k)] = round * 100000L + k;
      space.sync(round % 5 == 0);
      for (long k = 0; k < ranks * 1000L; k += 7)
        ASSERT_EQ(data[static_cast<std::size_t>(k)], round * 100000L + k) << "round " << round;
      space.sync();
    }
  });
}

TEST(Litmus, WritersOfDifferentBytesOfAPageDoNotDisturbEachOther) {
  each_space([](Space& space, const std::string&) {
    const auto ranks = static_cast<std::size_t>(space.world().size());
    const auto me = static_cast<std::size_t>(space.world().rank());
    const auto bytes = space.array<unsigned char>({4096}, space::Map({4096}, {1}, 1, 0, 1), "bytes");
    for (int round = 1; round <= rounds(12); ++round) {
      for (std::size_t k = me; k < 4096; k += ranks) bytes[k] = static_cast<unsigned char>(round * 31 + k);
      space.sync();
      for (std::size_t k = 0; k < 4096; ++k)
        ASSERT_EQ(bytes[k], static_cast<unsigned char>(round * 31 + k))
            << "byte " << k << ", round " << round;
      space.sync();
    }
  });
}

// The home writes the first half of a page, all others parts of the second; a reader holds it meanwhile.
TEST(Litmus, TheHomeWritesToo) {
  each_space([](Space& space, const std::string&) {
    const int ranks = space.world().size(), me = space.world().rank();
    for (int home = 0; home < ranks; ++home) {
      const auto page = space.array<int>({1024}, space::Map({1024}, {1}, 4, home, 1), "page");
      for (int round = 1; round <= rounds(4); ++round) {
        if (me == home) {
          for (std::size_t k = 0; k < 512; ++k) page[k] = round;
        } else {
          page[512 + static_cast<std::size_t>(me)] = round * me;
        }
        space.sync();
        int wrong = 0;
        for (std::size_t k = 0; k < 512; ++k) wrong += page[k] != round;
        for (int r = 0; r < ranks; ++r)
          wrong += r != home && page[512 + static_cast<std::size_t>(r)] != round * r;
        ASSERT_EQ(wrong, 0) << "home " << home << ", round " << round;
        space.sync();
      }
    }
  });
}

TEST(Litmus, ManyThreadsTouchOnePageAndManyPagesAtOnce) {
  each_space([](Space& space, const std::string&) {
    const int ranks = space.world().size(), me = space.world().rank();
    const long each = 4096 * 8;
    const auto a = space.array<long>({ranks * each}, space.bands({ranks * each}, 8), "a");
    for (long k = me * each; k < (me + 1) * each; ++k) a[static_cast<std::size_t>(k)] = 3 * k;
    space.sync();
    std::atomic<long> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        const long from = t < 2 ? 0 : t * 1000; // two by two over the same pages
        for (long k = from; k < ranks * each; k += 97) wrong += a[static_cast<std::size_t>(k)] != 3 * k;
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
  });
}

TEST(Litmus, SectionsBringWhatIsThereAndKeepWhatIsDirty) {
  each_space([](Space& space, const std::string&) {
    const int ranks = space.world().size(), me = space.world().rank();
    const std::size_t n = 64;
    const auto a = space.array<double>(
        {64, 64, 8}, space::Map({64, 64, 8}, {std::min(ranks, 64), 1, 1}, 8, 0, ranks), "a");
    const auto at = [&](std::size_t z, std::size_t y, std::size_t x) -> double& {
      return a[(z * n + y) * 8 + x];
    };
    for (int round = 1; round <= rounds(4); ++round) {
      for (std::size_t z = 0; z < n; ++z)
        if (space.owner(&at(z, 0, 0)) == me)
          for (std::size_t k = 0; k < n * 8; ++k)
            at(z, 0, k) = static_cast<double>(round * 1000 + static_cast<int>(z));
      space.sync();
      const int other = (me + 1) % ranks;
      const std::size_t z = static_cast<std::size_t>(64 * other / ranks);
      at(z, 5, static_cast<std::size_t>(me)) =
          -me - 1; // dirty, in the section, at the same time as other ranks' dirt
      space.preload(&at(z, 4, 2), {64, 64, 8}, {2, 3, 4}, 8, round % 2 == 0, round > 2);
      EXPECT_EQ(at(z, 5, static_cast<std::size_t>(me)), -me - 1);
      EXPECT_EQ(at(z, 4, 3), round * 1000 + static_cast<int>(z));
      EXPECT_EQ(at(z + 1, 6, 5), round * 1000 + static_cast<int>(z) + 1);
      space.sync();
      EXPECT_EQ(at(static_cast<std::size_t>(64 * me / ranks), 5,
                   static_cast<std::size_t>((me + ranks - 1) % ranks)),
                -((me + ranks - 1) % ranks) - 1);
      space.sync();
    }
  });
}

TEST(Litmus, HeldBytesStayAndAreBroughtUpToDate) {
  each_space([](Space& space, const std::string&) {
    const int ranks = space.world().size(), me = space.world().rank();
    const long each = 1024;
    const auto a = space.array<int>({ranks * each}, space.bands({ranks * each}, 4), "a");
    const int next = (me + 1) % ranks;
    space.hold(&a[static_cast<std::size_t>(next * each)], each * 4);
    space.sync();
    const SpaceCounts first = space.counts();
    for (int round = 1; round <= rounds(6); ++round) {
      for (long k = me * each; k < (me + 1) * each; ++k)
        a[static_cast<std::size_t>(k)] = static_cast<int>(round * k);
      space.sync();
      for (long k = next * each; k < (next + 1) * each; ++k)
        ASSERT_EQ(a[static_cast<std::size_t>(k)], static_cast<int>(round * k));
      space.sync();
    }
    const SpaceCounts last = space.counts();
    EXPECT_EQ(last.faults, first.faults) << "held bytes were touched, and own ones";
    EXPECT_EQ(last.pages_by_fault, first.pages_by_fault);
  });
}

TEST(Litmus, ACopyThatNobodyMadeStaleStays) {
  each_space([](Space& space, const std::string&) {
    const int ranks = space.world().size(), me = space.world().rank();
    const long each = 1024 * 16;
    const auto a = space.array<int>({ranks * each}, space.bands({ranks * each}, 4), "a");
    const auto read_all = [&] {
      long sum = 0;
      for (long k = 0; k < ranks * each; k += 1024) sum += a[static_cast<std::size_t>(k)];
      return sum;
    };
    EXPECT_EQ(read_all(), 0);
    space.sync();
    for (int round = 1; round <= rounds(1); ++round) {
      const SpaceCounts before = space.counts();
      a[static_cast<std::size_t>(me * each)] = round; // one page of each rank
      space.sync();
      ASSERT_EQ(read_all(), static_cast<long>(round) * ranks);
      space.sync();
      const SpaceCounts after = space.counts();
      const auto nodes = static_cast<std::uint64_t>(space.world().nodes());
      // Each node fetches again one page of each rank of other nodes.
      ASSERT_EQ(after.pages_by_fault - before.pages_by_fault,
                (nodes - 1) * static_cast<std::uint64_t>(ranks));
    }
  });
}

// The home changes a number and changes it back; who fetched it in between has to lose it all the same.
TEST(Litmus, ACopyTakenInBetweenIsNotKept) {
  each_space([](Space& space, const std::string&) {
    const int ranks = space.world().size(), me = space.world().rank();
    const auto x = space.array<long>({512}, space::Map({512}, {1}, 8, 0, 1), "x");
    const auto turn = space.array<long>({1}, space::Map({1}, {1}, 8, 0, 1), "turn");
    const auto wait_for = [&](long number) {
      while (space.add(&turn[0], 0L) != number) std::this_thread::yield();
    };
    for (int round = 0; round < rounds(1); ++round) {
      if (me == 1 % ranks) {
        EXPECT_EQ(x[0], 0); // the twin is of this
      }
      space.sync();
      if (me == 0) {
        x[0] = 5;
        space.add(&turn[0], 1L);
      }
      if (me == ranks - 1) {
        wait_for(2 * round + 1);
        const long between = x[0];
        EXPECT_TRUE(between == 5 || between == 0);
        space.add(&turn[0], 1L);
      }
      if (me == 0) {
        wait_for(2 * round + 2);
        x[0] = 0;
      }
      space.sync();
      ASSERT_EQ(x[0], 0) << "round " << round;
      space.sync(true);
    }
  });
}

TEST(Litmus, TheHigherNodesValueStandsWhereTwoWroteOneByte) {
  each_space([](Space& space, const std::string& shape) {
    if (space.world().nodes() < space.world().size()) return; // ranks of a node share its memory
    const int ranks = space.world().size(), me = space.world().rank();
    for (int home = 0; home < ranks; ++home) {
      const auto a = space.array<int>({8}, space::Map({8}, {1}, 4, home, 1), "a");
      space.sync();
      EXPECT_EQ(a[1], 0);
      space.sync();
      for (int round = 1; round <= rounds(1); ++round) {
        a[0] = 100 * round + me;
        space.sync();
        ASSERT_EQ(a[0], 100 * round + ranks - 1) << shape << ", home " << home << ", round " << round;
        space.sync();
      }
    }
  });
}

TEST(Litmus, ACacheHoldsNoMoreThanItsLimit) {
  each_space(
      [](Space& space, const std::string&) {
        const int ranks = space.world().size(), me = space.world().rank();
        const long each = 1024 * 1024; // 4 MiB, and the caches hold 1
        const auto a = space.array<int>({ranks * each}, space.bands({ranks * each}, 4), "a");
        for (int round = 1; round <= 2; ++round) {
          for (long k = (me + 1) % ranks * each, n = 0; n < each; n += 512)
            a[static_cast<std::size_t>(k + n)] = static_cast<int>(round + k + n);
          space.sync();
          long wrong = 0;
          for (long k = 0; k < ranks * each; k += 512)
            wrong += a[static_cast<std::size_t>(k)] != static_cast<int>(round + k);
          ASSERT_EQ(wrong, 0) << "round " << round;
          space.sync();
        }
      },
      [](Settings& s) { s.space_cache = 1 << 20; });
}

// A system that is short of memory takes pages out of views; here madvise() does.
TEST(Litmus, WhatTheSystemTakesOutOfTheViewIsShownAgain) {
  each_space([](Space& space, const std::string&) {
    const int ranks = space.world().size(), me = space.world().rank();
    const long each = 4 * 512;
    const auto a = space.array<long>({ranks * each}, space.bands({ranks * each}, 8), "a");
    long* const next = &a[static_cast<std::size_t>((me + 1) % ranks * each)];
    const auto take = [&] { madvise(next, each * sizeof(long), MADV_DONTNEED); };
    EXPECT_EQ(next[0] + next[512], 0);
    take();
    EXPECT_EQ(next[0] + next[512], 0) << "what was read";
    next[1] = me + 1;
    take();
    EXPECT_EQ(next[1], me + 1) << "what was written";
    take();
    next[2] = next[513] = me + 2;
    space.sync();
    const int before = (me + ranks - 1) % ranks;
    const long* const own = &a[static_cast<std::size_t>(me * each)];
    EXPECT_EQ(own[1], before + 1);
    EXPECT_EQ(own[2], before + 2);
    EXPECT_EQ(own[513], before + 2);
    space.sync();
  });
}

TEST(Litmus, FreedArraysAndNewOnes) {
  each_space([](Space& space, const std::string&) {
    for (int round = 1; round <= rounds(5); ++round) {
      const auto a = space.array<int>({5000}, space.bands({5000}, 4), "a");
      EXPECT_EQ(std::count(a.begin(), a.end(), 0), 5000);
      space.sync();
      if (space.world().rank() == 0) std::fill(a.begin(), a.end(), round);
      space.sync();
      EXPECT_EQ(std::count(a.begin(), a.end(), round), 5000);
      space.free(a.data());
    }
  });
}

// Blocks of two axes whose rows share pages: more runs than are watched one by one.
TEST(Litmus, BlocksWhoseRowsShareOrAlternatePages) {
  each_space([](Space& space, const std::string&) {
    const int ranks = space.world().size(), me = space.world().rank();
    if (ranks < 2) return;
    for (const long width : {64L, 2048L}) {
      const space::Map map({600, width}, {1, 2}, 8, 0, 2);
      const auto a = space.array<long>({600, width}, map, "a");
      for (int round = 1; round <= 2; ++round) {
        for (long k = 0; k < 600 * width; ++k)
          if (map.owner(k) == me) a[static_cast<std::size_t>(k)] = round * k;
        space.sync();
        long wrong = 0;
        for (long k = me; k < 600 * width; k += 61) wrong += a[static_cast<std::size_t>(k)] != round * k;
        ASSERT_EQ(wrong, 0);
        space.sync();
      }
    }
  });
}

TEST(Races, AreNamedWithArrayIndexAndRanks) {
  if (world().size() < 2) return;
  for (const std::string& way : ways_to_fault()) {
    const auto other = world_with([&](Settings& s) {
      s.subclusters = world().size();
      s.faults = way;
      s.races = true;
      s.space_size = std::size_t{1} << 32;
    });
    Space space(*other);
    const auto a = space.array<long>({30, 40}, space.bands({30, 40}, 8), "a");
    const auto row = static_cast<std::size_t>(world().rank());
    a[row * 40 + 1] = 7; // no race
    a[29 * 40 + 3] = 7;  // nor this: all write the same
    space.sync();
    EXPECT_EQ(a[17 * 40 + 5], 0); // what a home writes is looked for where others have copies
    space.sync();
    if (world().rank() < 2) a[17 * 40 + 5] = 10 + world().rank();
    EXPECT_EQ(refusal([&] { space.sync(); }),
              "a[17,5] was written differently by ranks 0 and 1 between synchronisations 2 and 3; put "
              "sms_sync between the "
              "two, or write it under a lock");
  }
}

TEST(Wrong, InputIsRefusedInWords) {
  each_space([](Space& space, const std::string&) {
    const int ranks = space.world().size();
    EXPECT_EQ(refusal([&] {
                space.allocate({{8}, {1}, 8, ranks, 1}, "a");
              }),
              "array 'a' has a part on rank " + std::to_string(ranks) + ", and there are " +
                  std::to_string(ranks) + " ranks; give another first rank, or fewer ranks");
    EXPECT_NE(refusal([&] {
                space.allocate({{1L << 33}, {1}, 1, 0, 1}, "a");
              }).find("--space-size"),
              std::string::npos);
    const auto a = space.array<long>({16}, space.bands({16}, 8), "a");
    EXPECT_NE(refusal([&] { space.preload(&a[8], 100, false); }).find("behind the end of a"),
              std::string::npos);
    EXPECT_NE(refusal([&] { space.preload(&ranks, 4); }).find("in no shared array"), std::string::npos);
  });
}

} // namespace
} // namespace tasuki::test
