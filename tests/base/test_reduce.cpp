// Numbers of all ranks become one, and rows of all ranks a table.
#include <tasuki/base/gather.hpp>
#include <tasuki/base/reduce.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace tasuki {
namespace {

using test::world;

TEST(Reduce, SumsAndFindsLeastAndMost) {
  const int rank = world().rank(), size = world().size();
  EXPECT_EQ(reduce_sum(world(), rank + 1), size * (size + 1) / 2);
  EXPECT_EQ(reduce_min(world(), 10.5 + rank), 10.5);
  EXPECT_EQ(reduce_max(world(), 10L + rank), 9L + size);
  EXPECT_EQ(reduce_sum(world(), std::vector<long long>{1, 1LL << 40}),
            (std::vector<long long>{size, size * (1LL << 40)}));
  EXPECT_EQ(reduce_max(world(), std::vector<double>{-1.0 * rank, 1.0 * rank}),
            (std::vector<double>{0.0, size - 1.0}));
  EXPECT_TRUE(reduce_sum(world(), std::vector<int>{}).empty());
}

TEST(Reduce, SumsOfUnsignedNumbersWrap) {
  const std::uint64_t mine = world().rank() == 0 ? std::numeric_limits<std::uint64_t>::max() : 1;
  EXPECT_EQ(reduce_sum(world(), mine), static_cast<std::uint64_t>(world().size() - 2));
}

TEST(Reduce, AsksTheRanksOfANode) {
  EXPECT_FALSE(any_rank_of_node(world(), false));
  EXPECT_TRUE(any_rank_of_node(world(), world().node_rank() == world().node_size() - 1));
}

TEST(Reduce, ABarrierHoldsUntilTheLastHasCome) {
  const double begun = seconds();
  if (world().rank() == world().size() - 1)
    while (seconds() - begun < 0.02) {}
  const double came = seconds();
  barrier(world());
  const double left = seconds();
  if (world().host_count() == 1) { // whose ranks have one clock
    EXPECT_GE(reduce_min(world(), left), reduce_max(world(), came));
  }
}

struct Row {
  int rank;
  double value;
};

TEST(GatherRows, BringsEveryRowToEveryRankInTheirOrder) {
  const int size = world().size();
  const auto rows = gather_rows<Row>(world(), {{world().rank(), 0.5}, {-world().rank(), 1.5}});
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(2 * size));
  for (int r = 0; r < size; ++r) {
    EXPECT_EQ(rows[2 * r].rank, r);
    EXPECT_EQ(rows[2 * r + 1].rank, -r);
    EXPECT_EQ(rows[2 * r + 1].value, 1.5);
  }
  EXPECT_TRUE(gather_rows(world(), std::vector<int>{}).empty());
}

TEST(GatherInTurn, HandsRankZeroOnePieceAfterAnother) {
  const int rank = world().rank();
  const std::vector<char> mine(static_cast<std::size_t>(100 * rank), static_cast<char>(rank));
  int next = 0;
  gather_in_turn(world(), mine.data(), mine.size(), [&](int from, const std::vector<char>& bytes) {
    EXPECT_EQ(from, next++);
    EXPECT_EQ(bytes, std::vector<char>(static_cast<std::size_t>(100 * from), static_cast<char>(from)));
  });
  EXPECT_EQ(next, rank == 0 ? world().size() : 0);
}

TEST(Share, BringsTheTextOfARankToAll) {
  const int last = world().size() - 1;
  std::string text(static_cast<std::size_t>(world().rank() + 1), 'a');
  share(world(), text, last);
  EXPECT_EQ(text, std::string(static_cast<std::size_t>(last + 1), 'a'));
}

} // namespace
} // namespace tasuki
