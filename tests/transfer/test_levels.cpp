// Collectives in two levels by themselves, over nodes of equal and of unlike sizes: every rank's bytes come
// once and in their places, however far some ranks are ahead of others.
#include <tasuki/base/reduce.hpp>
#include <tasuki/base/subset.hpp>
#include <tasuki/transfer/levels.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>
#include <sched.h>

#include <cstring>
#include <numeric>

namespace tasuki {
namespace {

char byte_of(int rank, long turn, long at) {
  return static_cast<char>((rank * 89 + turn * 31 + at * 7) % 241);
}

// Gathers and folds in turn, of sizes that all ranks draw, each after a pause of its own.
void take_turns(const Ranks& ranks, test::Random random, long turns) {
  Levels levels(ranks), others(ranks); // each has memory of its own
  test::Random own = test::random(1000 + static_cast<std::uint64_t>(ranks.world().rank()));
  const int size = ranks.size(), me = ranks.rank(ranks.place());
  for (long turn = 0; turn < turns; ++turn) {
    const long most = test::pick(random, 0, 3) ? 64 : kMostByLevels, bytes = test::pick(random, 0, most);
    Levels& now = test::pick(random, 0, 3) ? levels : others;
    for (long pause = test::pick(own, -30, 30); pause > 0; --pause) sched_yield();
    if (test::pick(random, 0, 1)) {
      std::vector<char> mine, due;
      for (long at = 0; at < bytes; ++at) mine.push_back(byte_of(me, turn, at));
      for (int place = 0; place < size; ++place)
        for (long at = 0; at < bytes; ++at) due.push_back(byte_of(ranks.rank(place), turn, at));
      std::vector<char> all(due.size(), 'x');
      now.gather(mine.data(), bytes, all.data(), "a test");
      ASSERT_EQ(all, due) << bytes << " bytes in turn " << turn;
    } else {
      // Sums, in which a rank that is left out or comes twice shows.
      const auto count = static_cast<std::size_t>(bytes) / sizeof(std::uint64_t);
      std::vector<std::uint64_t> sums, due(count, 0);
      const auto number = [&](int rank, std::size_t k) {
        return (std::uint64_t{1} << rank * 6) + static_cast<std::uint64_t>(turn) * k;
      };
      for (std::size_t k = 0; k < count; ++k) {
        sums.push_back(number(me, k));
        for (int place = 0; place < size; ++place) due[k] += number(ranks.rank(place), k);
      }
      const auto add = [&](char* into, const char* from) {
        for (std::size_t k = 0; k < count; ++k) {
          std::uint64_t one = 0, other = 0;
          std::memcpy(&one, into + k * sizeof one, sizeof one);
          std::memcpy(&other, from + k * sizeof other, sizeof other);
          one += other;
          std::memcpy(into + k * sizeof one, &one, sizeof one);
        }
      };
      now.fold(reinterpret_cast<char*>(sums.data()), static_cast<long>(count * sizeof(std::uint64_t)), add,
               "a test");
      ASSERT_EQ(sums, due) << count << " numbers in turn " << turn;
    }
  }
  barrier(ranks);
}

TEST(Levels, BringEachRanksBytesOnce) {
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  const int size = test::world().size();
  for (int nodes = 1; nodes <= std::min(size, 4); ++nodes) {
    SCOPED_TRACE(std::to_string(nodes) + " nodes");
    const auto made = test::world_with([&](Settings& s) { s.subclusters = nodes; });
    take_turns(*made, test::random(83), 100);
    // Without some ranks: nodes have unlike numbers of them, and the first of a node is another one.
    std::vector<int> some;
    for (int rank = 1; rank < size; ++rank)
      if (rank % 4 != 2) some.push_back(rank);
    if (made->rank() > 0 && made->rank() % 4 != 2) take_turns(subset(*made, some), test::random(84), 40);
    barrier(*made);
    if (test::any_rank(::testing::Test::HasFailure())) return;
  }
}

} // namespace
} // namespace tasuki
