// Subsets of ranks, made by their members alone: every word of base over them against a serial twin.
#include <tasuki/base/agree.hpp>
#include <tasuki/base/gather.hpp>
#include <tasuki/base/reduce.hpp>
#include <tasuki/base/subset.hpp>
#include <tests/checks.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace tasuki {
namespace {

using test::refusal;
using test::world;
using Members = std::vector<int>;

bool has(const Members& members, int rank) {
  return std::find(members.begin(), members.end(), rank) != members.end();
}

Members range(int first, int end) {
  Members members(static_cast<std::size_t>(end - first));
  std::iota(members.begin(), members.end(), first);
  return members;
}

// Sums, extremes, gathers, texts and comparisons of this subset, each against what the members' ranks make it.
void expect_words_work(const Ranks& ranks, const Members& sorted) {
  const int n = static_cast<int>(sorted.size()), me = world().rank();
  ASSERT_EQ(ranks.size(), n);
  ASSERT_EQ(ranks.rank(ranks.place()), me);
  for (int k = 0; k < n; ++k) {
    ASSERT_EQ(ranks.rank(k), sorted[static_cast<std::size_t>(k)]);
    EXPECT_EQ(ranks.place_of(ranks.rank(k)), k);
  }
  for (int r = -1; r <= world().size(); ++r) EXPECT_EQ(ranks.place_of(r).has_value(), has(sorted, r));

  long sum = 0;
  for (const int r : sorted) sum += 100L * r + 1;
  EXPECT_EQ(reduce_sum(ranks, 100L * me + 1), sum);
  EXPECT_EQ(reduce_min(ranks, me), sorted.front());
  EXPECT_EQ(reduce_max(ranks, 0.5 + me), 0.5 + sorted.back());
  EXPECT_EQ(any_rank(ranks, me == sorted.back()), true);
  EXPECT_EQ(any_rank(ranks, false), false);

  EXPECT_EQ(gather_rows(ranks, Members{me}), sorted);
  std::vector<double> numbers; // some bring none
  for (const int r : sorted) numbers.insert(numbers.end(), static_cast<std::size_t>(r % 3), 1.5 * r);
  Gather gather(ranks, me % 3);
  EXPECT_EQ(gather(std::vector<double>(static_cast<std::size_t>(me % 3), 1.5 * me)), numbers);

  const std::vector<char> mine(static_cast<std::size_t>(me + 1), static_cast<char>('a' + me));
  const auto before = static_cast<std::size_t>((ranks.place() + n - 1) % n);
  EXPECT_EQ(pass_on(ranks, mine).size(), static_cast<std::size_t>(sorted[before] + 1));
  const auto pieces = gather_on_root(ranks, mine);
  EXPECT_EQ(pieces.size(), ranks.place() == 0 ? static_cast<std::size_t>(n) : 0);
  for (std::size_t k = 0; k < pieces.size(); ++k)
    EXPECT_EQ(pieces[k].size(), static_cast<std::size_t>(sorted[k] + 1));
  EXPECT_EQ(of_root(ranks, static_cast<long>(me)), sorted.front());
  std::string text(mine.begin(), mine.end());
  share(ranks, text, n - 1);
  EXPECT_EQ(text.size(), static_cast<std::size_t>(sorted.back() + 1));
  barrier(ranks);
  agree(ranks, "tests", {{"members", std::to_string(n)}});
}

void expect_words_work(const Members& sorted) {
  if (has(sorted, world().rank())) expect_words_work(subset(world(), sorted), sorted);
}

TEST(Subset, MembersAloneMakeNestedSets) {
  for (int end = world().size(); end > 0; --end) expect_words_work(range(0, end));
  for (int first = 0; first < world().size(); ++first) expect_words_work(range(first, world().size()));
}

TEST(Subset, SetsOverlap) {
  for (int first = 0; first + 1 < world().size(); ++first) expect_words_work({first, first + 1});
  if (world().size() > 1) expect_words_work({0, world().size() - 1});
}

TEST(Subset, EachRankIsASetOfItsOwn) {
  expect_words_work({world().rank()});
  EXPECT_EQ(reduce_sum(subset(world(), {world().rank()}), 7), 7);
}

// Sets of random members: all ranks draw the same ones and make those in that order.
TEST(Subset, RandomSets) {
  auto random = test::random();
  for (int round = 0; round < 30; ++round) {
    Members members;
    for (int r = 0; r < world().size(); ++r)
      if (test::pick(random, 0, 1)) members.push_back(r);
    expect_words_work(members);
  }
}

// Sets without a common rank work side by side, each as often as it likes.
TEST(Subset, DisjointSetsKnowNothingOfEachOther) {
  const int half = (world().size() + 1) / 2, me = world().rank();
  const bool low = me < half;
  const Members members = low ? range(0, half) : range(half, world().size());
  const Ranks ranks = subset(world(), members);
  for (int turn = 0; turn < (low ? 50 : 20); ++turn) EXPECT_EQ(reduce_sum(ranks, turn), turn * ranks.size());
}

TEST(Subset, EqualSetsShareOneCommunicator) {
  Members members = range(0, std::max(1, world().size() - 1)), mixed = members;
  if (!has(members, world().rank())) return;
  const Ranks once = subset(world(), members);
  std::reverse(mixed.begin(), mixed.end());
  EXPECT_EQ(subset(world(), mixed).comm(), once.comm());
  if (world().rank() == 0) { // without the others
    EXPECT_EQ(subset(world(), members).comm(), once.comm());
  }
  const Members all = range(0, world().size());
  EXPECT_EQ(subset(world(), all).comm(), world().comm());
  if (world().size() > 2) {
    EXPECT_NE(subset(world(), {world().rank()}).comm(), once.comm());
  }
}

TEST(Subset, OnNodeAreThoseOfThisNode) {
  if (world().size() < 4) return; // below that no set spans two nodes and leaves one rank out
  const auto split = test::world_with([](Settings& settings) { settings.subclusters = 2; });
  EXPECT_EQ(on_node(*split).comm(), split->node_comm());
  const Members members{0, 1, 3};
  if (!has(members, split->rank())) return;
  const Ranks here = on_node(subset(*split, members));
  EXPECT_EQ(here.size(), split->rank() < 2 ? 2 : 1);
  EXPECT_EQ(reduce_sum(here, split->rank()), split->rank() < 2 ? 1 : 3);
}

TEST(Subset, RefusesWhatIsNoSetOfTheWorldsRanks) {
  const int me = world().rank(), size = world().size();
  const auto error = [&](const Members& members) { return refusal([&] { subset(world(), members); }); };
  const std::string who = "rank " + std::to_string(me) + " asks for a subset of ranks ";
  EXPECT_EQ(error({}), who + "that is empty; name one rank or more");
  EXPECT_EQ(error({me, me}), who + "with rank " + std::to_string(me) + " twice; name every rank once");
  const std::string bounds = "; the world has ranks 0 to " + std::to_string(size - 1);
  EXPECT_EQ(error({me, size}), who + "with rank " + std::to_string(size) + bounds);
  EXPECT_EQ(error({-1, me}), who + "with rank -1" + bounds);
  if (size == 1) return;
  const int other = (me + 1) % size;
  EXPECT_EQ(error({other}),
            who + std::to_string(other) + ", to which it does not belong; let the members alone ask for it");
}

TEST(Subset, RanksThatDifferAreNamedByTheirRanksInTheWorld) {
  if (world().size() < 3 || world().rank() == 0) return;
  const Ranks ranks = subset(world(), range(1, world().size()));
  EXPECT_EQ(refusal([&] {
              agree(ranks, "counts", {{"rank", std::to_string(world().rank())}});
            }),
            "rank 1 counts with rank 1, rank 2 with rank 2; let every rank do the same, in the same order");
}

} // namespace
} // namespace tasuki
