// Collectives of random bytes by both ways, over all ranks and over some of them, against what every rank knows of the others.
#include <tasuki/base/reduce.hpp>
#include <tasuki/base/subset.hpp>
#include <tasuki/transfer/collectives.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace tasuki {
namespace {

// Bytes of a rank in a turn, never like those of another.
std::vector<char> bytes_of(int rank, int turn, long bytes) {
  std::vector<char> made(static_cast<std::size_t>(bytes));
  for (long i = 0; i < bytes; ++i)
    made[static_cast<std::size_t>(i)] = static_cast<char>((rank * 101 + turn * 37 + i * 13) % 251);
  return made;
}

const std::vector<CollectiveWay> kWays = {CollectiveWay::chosen, CollectiveWay::flat, CollectiveWay::levels};
const std::vector<long> kSizes = {1, 8, 0, 24, 1000, kMostByLevels, kMostByLevels + 1, 100000, 3};

// All collectives by a way, in unlike sizes one after the other.
void all_of(const Ranks& ranks, CollectiveWay way) {
  for (int turn = 0; turn < static_cast<int>(kSizes.size()); ++turn) {
    SCOPED_TRACE("turn " + std::to_string(turn) + " by way " + std::to_string(static_cast<int>(way)));
    const long bytes = kSizes[static_cast<std::size_t>(turn)];
    const int me = ranks.rank(ranks.place());
    const std::vector<char> mine = bytes_of(me, turn, bytes);
    std::vector<char> wanted, most(mine.size());
    for (int k = 0; k < ranks.size(); ++k) {
      const std::vector<char> other = bytes_of(ranks.rank(k), turn, bytes);
      wanted.insert(wanted.end(), other.begin(), other.end());
      for (std::size_t i = 0; i < other.size(); ++i)
        most[i] = k == 0 ? other[i] : static_cast<char>(most[i] ^ other[i]);
    }
    EXPECT_EQ(all_gather(ranks, mine.data(), bytes, way), wanted);
    const int from = turn % ranks.size();
    std::vector<char> value = mine;
    broadcast(ranks, value.data(), bytes, from, way);
    EXPECT_EQ(value, bytes_of(ranks.rank(from), turn, bytes));
    value = mine;
    fold_all(
        ranks, value.data(), bytes,
        [&](char* into, const char* other) {
          for (long i = 0; i < bytes; ++i) into[i] = static_cast<char>(into[i] ^ other[i]);
        },
        way);
    EXPECT_EQ(value, most);
  }
}

TEST(Collectives, AreTheSameByEitherWay) {
  World& world = test::world();
  for (const CollectiveWay way : kWays) all_of(world, way);
}

TEST(Collectives, OfSomeRanksLeaveTheOthersAlone) {
  World& world = test::world();
  tuning(world);
  std::vector<int> even, late;
  for (int rank = 0; rank < world.size(); ++rank) {
    if (rank % 2 == 0) even.push_back(rank);
    if (rank >= world.size() / 2) late.push_back(rank);
  }
  if (world.rank() % 2 == 0)
    for (const CollectiveWay way : kWays) all_of(subset(world, even), way);
  if (world.rank() >= world.size() / 2)
    for (const CollectiveWay way : kWays) all_of(subset(world, late), way);
}

// Nobody leaves before all have come: each counts what it did before, and finds all others' counts.
TEST(Collectives, NobodyPassesAMeetingAlone) {
  World& world = test::world();
  for (const CollectiveWay way : kWays) {
    for (long turn = 1; turn < 50; ++turn) {
      meet(world, "a test", way);
      const std::vector<char> all = all_gather(world, &turn, sizeof turn, way);
      for (int k = 0; k < world.size(); ++k) {
        long other = 0;
        std::memcpy(&other, all.data() + static_cast<std::size_t>(k) * sizeof other, sizeof other);
        ASSERT_EQ(other, turn);
      }
    }
  }
}

TEST(Collectives, GoTheWayThatWasMeasuredToBeFaster) {
  DeviceConstants measured; // nothing
  EXPECT_EQ(way_of(measured, {4, 4}, 8), CollectiveWay::levels);
  EXPECT_EQ(way_of(measured, {1, 1, 1}, 8), CollectiveWay::flat); // no node has several
  EXPECT_EQ(way_of(measured, {4, 4}, kMostByLevels + 1), CollectiveWay::flat);
  measured.reduction_flat = 2e-6;
  measured.reduction_levels = 3e-6;
  EXPECT_EQ(way_of(measured, {4, 4}, 8), CollectiveWay::flat);
  measured.reduction_flat = 9e-6;
  EXPECT_EQ(way_of(measured, {4, 4}, 8), CollectiveWay::levels);
}

} // namespace
} // namespace tasuki
