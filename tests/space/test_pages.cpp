// The states of pages that the ranks of a node share, changed by several threads at once.
#include <tests/space/ground.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace tasuki::test {
namespace {

using space::Page;

TEST(Pages, MoveFromTheStateThatIsNamedAlone) {
  const RangeOfPages ground;
  const std::uint64_t page = 100 + static_cast<std::uint64_t>(world().node_rank());
  space::Pages pages = ground.pages;
  EXPECT_EQ(pages.state(page), Page::absent);
  EXPECT_FALSE(pages.move(page, Page::clean, Page::busy));
  EXPECT_TRUE(pages.move(page, Page::absent, Page::busy));
  EXPECT_EQ(pages.state(page), Page::busy);
  pages.set(page, Page::clean);
  EXPECT_EQ(pages.take(page), Page::clean);
  EXPECT_EQ(pages.state(page), Page::busy);
  // Each mark is its own, and no state takes it away.
  pages.hold(page, true);
  pages.backed(page, true);
  pages.early(page);
  pages.mapped(page, 2);
  pages.set(page, Page::dirty);
  EXPECT_TRUE(pages.held(page));
  EXPECT_TRUE(pages.backed(page));
  EXPECT_TRUE(pages.take_early(page));
  EXPECT_FALSE(pages.take_early(page)) << "the one before has taken it";
  pages.hold(page, false);
  pages.mapped(page, -1);
  EXPECT_FALSE(pages.held(page));
  EXPECT_TRUE(pages.backed(page));
  EXPECT_EQ(pages.mapped(page), 1);
  EXPECT_EQ(pages.state(page), Page::dirty);
  any_rank(false); // nobody ends the range before
}

// Threads of all ranks of the node take one page in turn: nobody is between another's take and set.
TEST(Pages, AreBusyForOneAtATime) {
  const RangeOfPages ground;
  space::Pages pages = ground.pages;
  constexpr int kThreads = 3, kTimes = 200;
  auto& sum = *reinterpret_cast<long*>(ground.range.page(7)); // no atomic
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int k = 0; k < kTimes; ++k) {
        const Page was = pages.take(7);
        ++sum;
        pages.set(7, was);
      }
    });
  for (std::thread& thread : threads) thread.join();
  any_rank(false); // all have added
  EXPECT_EQ(sum, static_cast<long>(world().node_size()) * kThreads * kTimes);
  EXPECT_EQ(pages.state(7), Page::absent);
  any_rank(false);
}

TEST(Pages, AreListedOnceUntilTheyAreDropped) {
  const RangeOfPages ground;
  if (world().node_rank() == 0) {
    space::Pages pages = ground.pages;
    for (const std::uint64_t page : {9, 4, 9, 6}) pages.add(page);
    EXPECT_EQ(pages.listed(), 3u);
    EXPECT_EQ(pages.listed(0), 9u);
    EXPECT_EQ(pages.listed(2), 6u);
    pages.set(4, Page::clean);
    pages.compact(); // the others are absent
    EXPECT_EQ(pages.listed(), 1u);
    EXPECT_EQ(pages.listed(0), 4u);
    EXPECT_EQ(pages.there(), 1);
    pages.add(9); // is not in the list any more
    EXPECT_EQ(pages.listed(), 2u);
    pages.count(3);
    pages.count(-1);
    EXPECT_EQ(pages.there(), 3);
  }
  any_rank(false);
}

TEST(Pages, GiveTheTurnToOneThreadOfTheNode) {
  const RangeOfPages ground;
  const space::Pages pages = ground.pages;
  auto& sum = *reinterpret_cast<long*>(ground.range.page(8)); // no atomic
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      for (int k = 0; k < 100; ++k) {
        const space::Pages::Turn turn(pages);
        ++sum;
      }
    });
  for (std::thread& thread : threads) thread.join();
  any_rank(false);
  EXPECT_EQ(sum, static_cast<long>(world().node_size()) * 200);
  any_rank(false);
}

} // namespace
} // namespace tasuki::test
