// Locks as their keeper knows them, and how far ahead a reader is served: no messages, no pages.
#include <tasuki/space/locks.hpp>
#include <tasuki/space/pager.hpp>

#include <tests/checks.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

namespace tasuki::test {
namespace {

using Numbers = std::vector<std::uint64_t>;

TEST(Locks, GoToWhoCameFirst) {
  space::Locks locks;
  EXPECT_TRUE(locks.take(3, 10));
  EXPECT_FALSE(locks.take(3, 11));
  EXPECT_FALSE(locks.take(3, 12));
  EXPECT_TRUE(locks.take(4, 12)) << "another lock";
  EXPECT_TRUE(locks.take(3, 10)) << "asked again";
  EXPECT_EQ(locks.release(3, 10, 0, {}), 11u) << "whose turn it is now";
  EXPECT_FALSE(locks.take(3, 12));
  EXPECT_TRUE(locks.take(3, 11));
  EXPECT_EQ(locks.release(4, 12, 0, {}), std::nullopt) << "nobody waits for it";
  EXPECT_EQ(
      refusal([&] { locks.release(3, 12, 0, {}); }),
      "lock 3 is let go by a thread that has it not; call sms_unlock after sms_lock, from the same thread");
}

TEST(Locks, LogWhatOthersWroteEachPageOnce) {
  space::Locks locks;
  locks.take(1, 1);
  locks.release(1, 1, 0, {7, 5, 7});
  locks.take(2, 2);
  locks.release(2, 2, 1, {5, 9});
  EXPECT_EQ(locks.end(), 5u);
  EXPECT_EQ(locks.since(0, 100, 2), (Numbers{5, 7, 9}));
  EXPECT_EQ(locks.since(0, 100, 0), (Numbers{5, 9})) << "its own left out";
  EXPECT_EQ(locks.since(0, 2, 1), (Numbers{5, 7})) << "two places of the log";
  EXPECT_EQ(locks.since(4, 100, 0), (Numbers{9}));
  EXPECT_EQ(locks.since(5, 100, 0), Numbers{});
  locks.forget();
  EXPECT_EQ(locks.end(), 0u);
}

TEST(Readers, AreServedFurtherAheadAsTheyGoOn) {
  space::Readers readers;
  EXPECT_EQ(readers.ahead(100, 1000), 1u);
  EXPECT_EQ(readers.ahead(500, 1000), 1u) << "a second one beside it";
  EXPECT_EQ(readers.ahead(101, 1000), 2u);
  EXPECT_EQ(readers.ahead(103, 1000), 4u);
  EXPECT_EQ(readers.ahead(501, 1000), 2u);
  EXPECT_EQ(readers.ahead(107, 5), 5u) << "the array ends";
  EXPECT_EQ(readers.ahead(300, 1000), 1u) << "one that jumps";
  std::uint64_t page = 10000, most = 0;
  for (int k = 0; k < 10; ++k) page += most = readers.ahead(page, 1u << 20);
  EXPECT_EQ(most, 64u);
}

} // namespace
} // namespace tasuki::test
