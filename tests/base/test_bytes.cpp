// Collectives of bytes, over all ranks and over some of them: what each rank gets is what every rank knows
// that the others gave.
#include <tasuki/base/bytes.hpp>
#include <tasuki/base/reduce.hpp>
#include <tasuki/base/subset.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace tasuki {
namespace {

std::vector<char> given_by(int rank, long turn, long bytes) {
  std::vector<char> made;
  for (long at = 0; at < bytes; ++at)
    made.push_back(static_cast<char>((rank * 97 + turn * 29 + at * 5) % 239));
  return made;
}

// The same draws on all of `ranks`. Behind what is asked for memory stays as it was.
void give_and_take(const Ranks& ranks, test::Random random) {
  const int me = ranks.rank(ranks.place()), size = ranks.size();
  const std::vector<char> behind(16, 'x');
  for (long turn = 0; turn < 20; ++turn) {
    SCOPED_TRACE("turn " + std::to_string(turn));
    const long most = test::pick(random, 0, 1) ? 20 : 20000, bytes = test::pick(random, 0, most);
    std::vector<char> due;
    for (int place = 0; place < size; ++place)
      for (const char byte : given_by(ranks.rank(place), turn, bytes)) due.push_back(byte);
    std::vector<char> all(due.size() + behind.size(), 'x');
    due.insert(due.end(), behind.begin(), behind.end());
    gather_bytes(ranks, given_by(me, turn, bytes).data(), bytes, all.data(), "a test");
    EXPECT_EQ(all, due);

    std::vector<int> counts;
    due.clear();
    for (int place = 0; place < size; ++place) {
      counts.push_back(static_cast<int>(test::pick(random, 0, 2) ? test::pick(random, 1, most + 1) : 0));
      for (const char byte : given_by(ranks.rank(place), turn + 50, counts.back())) due.push_back(byte);
    }
    all.assign(due.size() + behind.size(), 'x');
    due.insert(due.end(), behind.begin(), behind.end());
    const int own = counts[static_cast<std::size_t>(ranks.place())];
    gather_bytes(ranks, given_by(me, turn + 50, own).data(), counts, all.data(), "a test");
    EXPECT_EQ(all, due);

    const int from = static_cast<int>(test::pick(random, 0, size - 1)); // a place, not a rank of the world
    std::vector<char> value = given_by(me, turn, bytes);
    due = given_by(ranks.rank(from), turn, bytes);
    value.insert(value.end(), behind.begin(), behind.end());
    due.insert(due.end(), behind.begin(), behind.end());
    broadcast_bytes(ranks, value.data(), bytes, from, "a test");
    EXPECT_EQ(value, due);
  }
}

TEST(Bytes, OfAllRanksComeByTheirPlaces) {
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  give_and_take(test::world(), test::random(86));
}

TEST(Bytes, OfSomeRanksComeByTheirPlacesAmongThem) {
  World& world = test::world();
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  std::vector<int> late(static_cast<std::size_t>(world.size() - world.size() / 2));
  std::iota(late.begin(), late.end(), world.size() / 2);
  if (world.rank() >= world.size() / 2) give_and_take(subset(world, late), test::random(87));
  if (world.rank() % 2 == 0) {
    std::vector<int> even;
    for (int rank = 0; rank < world.size(); rank += 2) even.push_back(rank);
    give_and_take(subset(world, even), test::random(88));
  }
  barrier(world);
}

} // namespace
} // namespace tasuki
