#include <tasuki/device/team.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <vector>

namespace tasuki {
namespace {

// A world whose ranks have so many threads.
std::unique_ptr<World> world_of(int threads) {
  return test::world_with([&](Settings& s) { s.threads = threads; });
}

TEST(Team, MeetsSoThatAllSeeWhatAllDidBefore) {
  for (const int count : {1, 2, 3, 5}) {
    const auto made = world_of(count);
    Team team(*made);
    ASSERT_EQ(team.threads(), count);
    constexpr long kRounds = 2000;
    std::vector<long> marks(static_cast<std::size_t>(count), 0); // plain memory: only the meetings order it
    std::vector<long> wrong(static_cast<std::size_t>(count), 0);
    long told = 0;
    team.run(team.threads(), [&](int thread, int threads) {
      const auto me = static_cast<std::size_t>(thread);
      for (long round = 1; round <= kRounds; ++round) {
        marks[me] = round * (thread + 1);
        team.meet(thread, [&] {
          told = 0;
          for (int t = 0; t < threads; ++t) told += marks[static_cast<std::size_t>(t)];
        });
        if (told != round * threads * (threads + 1) / 2) ++wrong[me];
        team.meet(thread, [] {});
      }
    });
    for (const long n : wrong) EXPECT_EQ(n, 0) << count << " threads";
  }
}

TEST(Team, WhatAThreadThrowsEndsAllAndIsThrown) {
  const auto made = world_of(3);
  Team team(*made);
  for (const int thrower : {0, 1, 2}) {
    std::array<long, 3> rounds{};
    EXPECT_THROW(team.run(team.threads(),
                          [&](int thread, int) {
                            for (int round = 0; round < 1000; ++round) {
                              if (thread == thrower && round == 500) throw std::runtime_error("enough");
                              team.meet(thread, [] {});
                              ++rounds[static_cast<std::size_t>(thread)];
                            }
                          }),
                 std::runtime_error);
    for (const long n : rounds) EXPECT_EQ(n, 500);
    long met = 0; // and it can be used again
    team.run(team.threads(), [&](int thread, int) { team.meet(thread, [&] { ++met; }); });
    EXPECT_EQ(met, 1);
  }
}

TEST(Team, WhatOneDoesAloneMayThrowToo) {
  const auto made = world_of(2);
  Team team(*made);
  EXPECT_THROW(
      team.run(team.threads(), [&](int thread, int) { team.meet(thread, [] { throw Error("no", "yes"); }); }),
      Error);
}

} // namespace
} // namespace tasuki
