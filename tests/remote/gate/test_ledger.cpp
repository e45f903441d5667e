#include <remote/server/gate/ledger.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>

namespace tasuki::remote {
namespace {

TEST(Ledger, GivesADeviceToThoseWhoWaitInTurn) {
  Ledger ledger(2, 1);
  EXPECT_EQ(ledger.claim(7, 0), 0);
  EXPECT_EQ(ledger.claim(8, 0), 1);
  EXPECT_EQ(ledger.claim(9, 0), 2);
  EXPECT_EQ(ledger.claim(10, 1), 0);
  EXPECT_EQ(ledger.leave(8), std::vector<int>{});
  EXPECT_EQ(ledger.place(9), 1);
  EXPECT_EQ(ledger.leave(7), std::vector<int>{9});
  EXPECT_EQ(ledger.place(9), 0);
  EXPECT_EQ(ledger.leave(7), std::vector<int>{});
  EXPECT_FALSE(ledger.has(2));
  EXPECT_FALSE(ledger.has(-1));
}

// The processes of one run, or its virtual devices of one GPU, are one client to the others.
TEST(Ledger, CountsASessionOnce) {
  Ledger ledger(1, 1);
  EXPECT_EQ(ledger.claim(1, 0, "run"), 0);
  EXPECT_EQ(ledger.claim(2, 0, "other"), 1);
  EXPECT_EQ(ledger.claim(3, 0, "run"), 0);
  EXPECT_EQ(ledger.claim(4, 0), 2);
  EXPECT_EQ(ledger.claim(5, 0, "other"), 3);
  EXPECT_EQ(ledger.leave(1), std::vector<int>{});
  EXPECT_EQ(ledger.leave(3), (std::vector<int>{2, 5}));
  EXPECT_EQ(ledger.place(4), 1);
  EXPECT_EQ(ledger.leave(2), std::vector<int>{});
  EXPECT_EQ(ledger.leave(5), std::vector<int>{4});
}

// Against a list of who came, where the first `each` that are left of a device hold it.
TEST(Ledger, IsWhatAListSays) {
  const char* text = std::getenv("TASUKI_TEST_SEED");
  const unsigned seed =
      text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : std::random_device()();
  std::cout << "seed " << seed << "\n";
  std::mt19937 random(seed);
  for (int round = 0; round < 50; ++round) {
    const int each = 1 + static_cast<int>(random() % 3), devices = 1 + static_cast<int>(random() % 3);
    Ledger ledger(static_cast<std::size_t>(devices), each);
    std::vector<std::pair<int, int>> list; // client, device
    const auto place = [&](int client) {
      int before = 0;
      for (const auto& [other, device] : list) {
        const auto mine =
            std::find_if(list.begin(), list.end(), [&](auto& row) { return row.first == client; });
        if (mine == list.end()) return -1;
        if (other == client) return std::max(0, before + 1 - each);
        before += device == mine->second;
      }
      return -1;
    };
    for (int client = 0; client < 200; ++client) {
      if (random() % 2) {
        const int device = static_cast<int>(random() % static_cast<unsigned>(devices));
        list.emplace_back(client, device);
        ASSERT_EQ(ledger.claim(client, device), place(client));
      } else if (!list.empty()) {
        const auto gone = list.begin() + static_cast<long>(random() % list.size());
        std::vector<int> waited, now;
        for (const auto& [other, device] : list)
          if (place(other) > 0) waited.push_back(other);
        const int leaver = gone->first;
        list.erase(gone);
        for (const int other : waited)
          if (other != leaver && place(other) == 0) now.push_back(other);
        ASSERT_EQ(ledger.leave(leaver), now);
      }
      for (const auto& [other, device] : list) ASSERT_EQ(ledger.place(other), place(other));
    }
  }
}

} // namespace
} // namespace tasuki::remote
