// Pages and their homes under several threads, without messages: what must not wait for what.
#include <tasuki/space/cache.hpp>
#include <tasuki/space/home.hpp>

#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

namespace tasuki::test {
namespace {

using space::Page;
using space::PageRun;

constexpr std::uint64_t kPages = 1 << 16;

struct Ground { // what each test stands on. Collective
  space::Range range{world(), 0x210000000000, kPages * 4096, 4096};
  space::Pages pages{range};
};

// All ranks tell others what they have to drop at the same time, and each answers meanwhile.
TEST(Home, AnswersWhileItTells) {
  const Ground ground;
  space::Home home(ground.range, 0);
  std::vector<char> reply;
  const std::uint64_t first =
      1000 * static_cast<std::uint64_t>(world().node_rank()); // pages of this rank alone
  home.fetch(1, false, {{first, 3}}, reply);
  *ground.range.page(first) = *ground.range.page(first + 2) = 1;
  std::vector<std::uint64_t> told;
  std::vector<std::thread> askers;
  home.reconcile(2, [&](int node, std::uint64_t page, const std::vector<char>* patch) {
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

} // namespace
} // namespace tasuki::test
