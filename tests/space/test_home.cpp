// Homes of pages under several threads, without messages: what must not wait for what, and whose bytes stand.
#include <tasuki/space/diff.hpp>
#include <tasuki/space/home.hpp>

#include <tests/space/ground.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <thread>
#include <utility>
#include <vector>

namespace tasuki::test {
namespace {

// All ranks tell others what they have to drop at the same time, and each answers meanwhile.
TEST(Home, AnswersWhileItTells) {
  const RangeOfPages ground;
  space::Home home(ground.range, 0, 2);
  std::vector<char> reply;
  const std::uint64_t first =
      1000 * static_cast<std::uint64_t>(world().node_rank()); // pages of this rank alone
  home.fetch(1, false, {{first, 3}}, reply);
  *ground.range.page(first) = *ground.range.page(first + 2) = 1;
  std::vector<std::uint64_t> told;
  std::vector<std::thread> askers;
  home.reconcile([&](int node, std::uint64_t page, const std::vector<char>* patch) {
    EXPECT_EQ(node, 1);
    EXPECT_EQ(patch, nullptr);
    told.push_back(page);
    std::promise<void> answered;
    auto answer = answered.get_future();
    askers.emplace_back([&home, page, answered = std::move(answered)]() mutable {
      std::vector<char> other;
      home.fetch(1, false, {{page + 100, 1}}, other);
      answered.set_value();
    });
    EXPECT_EQ(answer.wait_for(std::chrono::seconds(20)), std::future_status::ready)
        << "who tells keeps the lock that an answer needs";
  });
  for (std::thread& asker : askers) asker.join();
  std::sort(told.begin(), told.end());
  EXPECT_EQ(told, (std::vector<std::uint64_t>{first, first + 2}));
  EXPECT_TRUE(home.holders());
}

// What one node alone has a copy of nobody else can have written: it is there before the ranks reconcile, and is not the
// home's own. What two have, or the home has written as well, waits for the others' bytes.
TEST(Home, AppliesAtOnceWhatOneNodeAloneCanHaveWritten) {
  const RangeOfPages ground;
  space::Home home(ground.range, 0, 3);
  std::vector<char> reply, patches;
  const std::uint64_t first = 1000 * static_cast<std::uint64_t>(world().node_rank());
  const std::uint64_t alone = first, shared = first + 1, own = first + 2;
  const auto byte = [&](std::uint64_t page) { return *ground.range.page(page); };
  home.fetch(1, false, {{first, 3}}, reply);
  home.fetch(2, false, {{shared, 1}}, reply);
  *ground.range.page(own) = 7;
  const std::vector<char> before(4096, 0), now(4096, 1);
  for (const std::uint64_t page : {alone, shared, own})
    space::append_patch(patches, page, now.data(), before.data(), 4096);
  home.keep(1, patches.data(), patches.size());
  EXPECT_EQ(byte(alone), 1);
  EXPECT_EQ(byte(shared), 0);
  EXPECT_EQ(byte(own), 7);
  std::vector<std::pair<int, std::uint64_t>> told;
  const auto tell = [&](int node, std::uint64_t page, const std::vector<char>*) {
    told.emplace_back(node, page);
  };
  const auto clash = home.reconcile(tell);
  ASSERT_TRUE(clash);
  EXPECT_EQ(clash->page, own);
  EXPECT_EQ(byte(shared), 1);
  EXPECT_EQ(byte(own), 1) << "the higher node's stands";
  std::sort(told.begin(), told.end());
  EXPECT_EQ(told, (std::vector<std::pair<int, std::uint64_t>>{{1, own}, {2, shared}}));
  // The home's own writes are noticed at the next.
  *ground.range.page(alone) = 2;
  told.clear();
  EXPECT_FALSE(home.reconcile(tell));
  EXPECT_EQ(told, (std::vector<std::pair<int, std::uint64_t>>{{1, alone}}));
  any_rank(false); // nobody ends the range before
}

} // namespace
} // namespace tasuki::test
