// The cache of others' pages, without messages: what it asks homes for, what it gives back, and what it waits for.
#include <tasuki/space/cache.hpp>

#include <tests/space/ground.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace tasuki::test {
namespace {

using space::Page;
using space::PageRun;

// Homes and faults that note what is asked of them.
struct Noted : space::Supply, space::Faults {
  explicit Noted(space::Pages& p) : pages(p) {}

  void fetch(const std::vector<PageRun>& runs, bool, const std::function<void(std::size_t)>& there) override {
    acts.emplace_back("fetch");
    if (acts.size() == 1) pages.set(dropped, Page::absent); // another rank had it busy
    for (std::size_t k = 0; k < runs.size(); ++k) there(k);
  }
  void read(const std::vector<std::uint64_t>& all, bool, char* into) override {
    read_together.push_back(all);
    for (const std::uint64_t page : all) {
      EXPECT_EQ(pages.state(page), Page::busy) << "another thread may change it meanwhile";
      std::memset(into, static_cast<int>(page % 100), 4096);
      into += 4096;
    }
  }
  void hold(const std::vector<PageRun>&) override {}
  void settle(int, std::vector<char>) override { acts.emplace_back("settle"); }
  bool ours(int) const override { return false; }

  const char* name() const override { return "noted"; }
  void watch(std::uint64_t, std::uint64_t) override {}
  void map(std::uint64_t, std::uint64_t, bool) override { acts.emplace_back("show"); }
  void allow(std::uint64_t, std::uint64_t) override {}
  void protect(std::uint64_t, std::uint64_t) override {}
  void unmap(std::uint64_t, std::uint64_t) override {}
  std::size_t wait(space::Touch*, std::size_t) override { return 0; }
  void settle(const space::Touch&) override {}
  void stop() override {}

  space::Pages& pages;
  std::vector<std::vector<std::uint64_t>> read_together;
  std::uint64_t dropped = 0;
  std::vector<std::string> acts;
};

// What a node has: the cache of one array, and all that it stands on.
struct Cached {
  space::Pages pages;
  space::Arrays arrays;
  Noted noted;
  space::Cache cache;

  // `limit`: bytes; 0: any number.
  Cached(const RangeOfPages& ground, const space::Map& map, std::uint64_t limit = 0)
      : pages(ground.pages),
        arrays(ground.range),
        noted(pages),
        cache(ground.range, pages, arrays, noted, noted, limit) {
    arrays.add(map, "a");
  }
};

// Who collects what was written has many pages busy, and waits for others: were one named twice it would wait for itself.
TEST(Cache, CollectsWhatIsListedWhileOthersAdd) {
  const RangeOfPages ground;
  if (world().node_rank() == 0) {
    Cached node(ground, space::Map({64 * 4096}, {1}, 1, 0, 1));
    node.pages.add(5);
    node.pages.add(7);
    node.pages.compact(); // neither is there
    for (const std::uint64_t page : {7, 5}) {
      node.pages.add(page);
      node.pages.set(page, Page::dirty);
      *ground.range.page(page) = 1;
    }
    node.pages.add(6); // dropped since
    node.pages.compact();
    ASSERT_EQ(node.pages.listed(), 2u);
    // Another rank has taken the next place, and not got any further. The number of places stands before all else.
    ++*reinterpret_cast<std::atomic<std::uint64_t>*>(ground.range.notes());
    ASSERT_EQ(node.pages.listed(), 3u);
    ASSERT_FALSE(node.pages.listed(2).has_value());
    EXPECT_EQ(node.cache.settle_all(), (std::vector<std::uint64_t>{7, 5}));
  }
  any_rank(false); // nobody ends the range before
}

// What others wrote under a lock comes in few messages. A page that another has busy is not waited for with others taken, since
// that one may wait for them; and what this node has written itself stays.
TEST(Cache, RefreshesTogetherWhatIsNotBusy) {
  const RangeOfPages ground;
  if (world().node_rank() == 0) {
    Cached node(ground, space::Map({200, 4096}, {1, 1}, 1, 0, 1));
    std::vector<std::uint64_t> all(150);
    for (std::uint64_t page = 0; page < all.size(); ++page) {
      all[page] = page;
      if (page != 3) node.pages.set(page, page == 5 ? Page::dirty : Page::clean); // the copy of 3 is gone
    }
    *ground.range.page(5) = 7; // its twin is zero
    node.pages.set(10, Page::busy);
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      node.pages.set(9, node.pages.take(9)); // as who sends home what it wrote, with 10 taken already
      node.pages.set(10, Page::clean);
    });
    node.cache.refresh(all);
    other.join();
    std::vector<std::uint64_t> came;
    for (const auto& together : node.noted.read_together)
      came.insert(came.end(), together.begin(), together.end());
    std::sort(came.begin(), came.end());
    all.erase(all.begin() + 3);
    EXPECT_EQ(came, all) << "each once";
    EXPECT_LE(node.noted.read_together.size(), 4u) << "64 pages of 4 KiB a message, and one that was busy";
    for (const std::uint64_t page : all) {
      EXPECT_EQ(node.pages.state(page), page == 5 ? Page::dirty : Page::clean) << page;
      EXPECT_EQ(*ground.range.page(page), page == 5 ? 7 : static_cast<char>(page % 100)) << page;
      EXPECT_EQ(ground.range.page(page)[1], static_cast<char>(page % 100)) << page;
    }
  }
  any_rank(false); // nobody ends the range before
}

// A cache of the least size keeps 256 pages. Those that were only read go first, which asks nobody anything.
TEST(Cache, KeepsAsManyPagesAsItsLimitAndGivesCleanOnesBackFirst) {
  const RangeOfPages ground;
  if (world().node_rank() == 0) {
    Cached node(ground, space::Map({4096, 4096}, {1, 1}, 1, 0, 1), 1);
    node.noted.dropped = kPages - 1; // no page of it
    const auto count = [&](Page state) {
      std::uint64_t all = 0;
      for (std::uint64_t page = 0; page < 4096; ++page) all += node.pages.state(page) == state;
      return all;
    };
    const auto settled = [&] { return std::count(node.noted.acts.begin(), node.noted.acts.end(), "settle"); };
    node.cache.bring({{0, 100}}, space::Why::section, true);
    for (std::uint64_t page = 0; page < 100; ++page) *ground.range.page(page) = 1;
    node.cache.bring({{1000, 156}}, space::Why::section, false);
    EXPECT_EQ(node.pages.there(), 256);
    node.cache.bring({{2000, 100}}, space::Why::section, false); // room for it: 100 of the clean ones
    EXPECT_EQ(node.pages.there(), 256);
    EXPECT_EQ(count(Page::dirty), 100u);
    EXPECT_EQ(count(Page::clean), 156u);
    EXPECT_EQ(settled(), 0);
    EXPECT_EQ(node.pages.state(2050), Page::clean);
    node.cache.bring({{3000, 200}}, space::Why::section, false); // more than are clean
    EXPECT_EQ(node.pages.there(), 256);
    EXPECT_EQ(count(Page::dirty), 56u);
    EXPECT_EQ(settled(), 1) << "what 44 pages have for one home is one message";
    for (std::uint64_t page = 3000; page < 3200; ++page) EXPECT_EQ(node.pages.state(page), Page::clean);
  }
  any_rank(false); // nobody ends the range before
}

// An instruction that needs two pages, as one that copies from one to the other does, has both at once in the end, however full
// the cache is of what goes last, or stays.
TEST(Cache, KeepsWhatThreadsHaveJustTouched) {
  for (const bool held : {false, true}) {
    const RangeOfPages ground;
    if (world().node_rank() == 0) {
      Cached node(ground, space::Map({4096, 4096}, {1, 1}, 1, 0, 1), 1);
      node.noted.dropped = kPages - 1; // no page of it
      node.cache.bring({{0, 256}}, space::Why::section, !held, held);
      for (const std::uint64_t page : {1000, 2000}) node.cache.bring({{page, 1}}, space::Why::fault, false);
      for (const std::uint64_t page : {1000, 2000}) EXPECT_EQ(node.pages.state(page), Page::clean) << page;
      for (std::uint64_t page = 3000; page < 3300; ++page)
        node.cache.bring({{page, 1}}, space::Why::fault, false);
      EXPECT_EQ(node.pages.state(1000), Page::absent) << "long ago";
      EXPECT_EQ(node.pages.state(3299), Page::clean);
      EXPECT_LE(node.pages.there(), 256 + (held ? 128 : 0));
    }
    any_rank(false); // nobody ends the range before
  }
}

// By the system a thread goes on as soon as it is shown what it touched, and may synchronise: by then all was asked.
TEST(Cache, AsksNothingMoreOnceATouchIsServed) {
  const RangeOfPages ground;
  Cached node(ground, space::Map({64 * 4096}, {1}, 1, 0, 1));
  const std::uint64_t first = 8 * static_cast<std::uint64_t>(world().node_rank());
  const auto bring = [&](std::uint64_t page, space::Why why) {
    node.noted.acts.clear();
    node.noted.dropped = page + 1;
    EXPECT_TRUE(node.pages.move(page + 1, Page::absent, Page::busy));
    node.cache.bring({{page, 2}}, why, false);
    return node.noted.acts;
  };
  using Acts = std::vector<std::string>;
  EXPECT_EQ(bring(first, space::Why::fault), (Acts{"fetch", "show"}));
  EXPECT_EQ(node.pages.state(first + 1), Page::absent);
  EXPECT_EQ(bring(first + 4, space::Why::section), (Acts{"fetch", "show", "fetch", "show"}));
  EXPECT_EQ(node.pages.state(first + 5), Page::clean);
  any_rank(false); // nobody ends the range before
}

} // namespace
} // namespace tasuki::test
