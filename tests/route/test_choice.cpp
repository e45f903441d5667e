#include <tasuki/route/choice.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace tasuki {
namespace {

using Parcels = std::vector<std::vector<Way>>;

// The end by the rule itself, written once more.
double end_of(const Parcels& parcels, const std::vector<int>& ways, bool at_once) {
  std::map<int, std::map<int, double>> latency;
  std::map<int, double> busy;
  for (std::size_t p = 0; p < parcels.size(); ++p) {
    const Way& w = parcels[p][static_cast<std::size_t>(ways[p])];
    busy[w.channel] += w.transfer;
    latency[w.channel][w.lane] = std::max(latency[w.channel][w.lane], w.latency);
  }
  double longest = 0, sum = 0;
  for (auto& [channel, seconds] : busy) {
    for (const auto& [lane, l] : latency[channel]) seconds += l;
    longest = std::max(longest, seconds);
    sum += seconds;
  }
  return at_once ? longest : sum;
}

Parcels random_parcels(test::Random& random, int count) {
  std::uniform_real_distribution<double> seconds(1e-6, 1e-4);
  Parcels parcels(static_cast<std::size_t>(count));
  for (auto& ways : parcels) {
    ways.push_back({1, 0, 2e-6, seconds(random)});
    if (test::pick(random, 0, 3)) ways.push_back({2, 0, 2e-5, seconds(random)});
    if (test::pick(random, 0, 1)) ways.push_back({1, 1, 4e-6, seconds(random)});
  }
  return parcels;
}

TEST(Choice, OneParcelTakesItsFastestWay) {
  EXPECT_EQ(choose_ways({{{1, 0, 1e-6, 5e-6}, {2, 0, 3e-6, 1e-6}}}, true).ways, std::vector<int>{1});
  EXPECT_EQ(choose_ways({{{1, 0, 1e-6, 1e-6}, {2, 0, 3e-6, 1e-6}}}, true).ways, std::vector<int>{0});
  EXPECT_EQ(choose_ways({{{1, 0, 1e-6, 1e-6}, {2, 0, 1e-6, 1e-6}}}, true).ways, std::vector<int>{0});
}

TEST(Choice, ChannelsThatRunAtOnceEndTogether) {
  // Six equal parcels; channel 2 takes twice as long for each.
  const Parcels parcels(6, {{1, 0, 0, 1.0}, {2, 0, 0, 2.0}});
  const Choice at_once = choose_ways(parcels, true), in_turn = choose_ways(parcels, false);
  EXPECT_EQ(std::count(at_once.ways.begin(), at_once.ways.end(), 1), 2);
  EXPECT_DOUBLE_EQ(at_once.seconds, 4.0);
  EXPECT_EQ(in_turn.ways, std::vector<int>(6, 0));
  EXPECT_DOUBLE_EQ(in_turn.seconds, 6.0);
}

TEST(Choice, ALatencyIsPaidOnce) {
  // Each alone would take channel 1; together they share the latency of channel 2.
  const Parcels parcels(4, {{1, 0, 0, 3.0}, {2, 0, 5.0, 0.5}});
  EXPECT_EQ(choose_ways({parcels[0]}, false).ways, std::vector<int>{0});
  EXPECT_EQ(choose_ways(parcels, false).ways, std::vector<int>(4, 1));
}

TEST(Choice, IsTheBestThereIs) {
  auto random = test::random(1);
  for (int trial = 0; trial < 60; ++trial) {
    const Parcels parcels = random_parcels(random, static_cast<int>(test::pick(random, 1, 6)));
    for (const bool at_once : {false, true}) {
      const Choice choice = choose_ways(parcels, at_once);
      EXPECT_DOUBLE_EQ(choice.seconds, end_of(parcels, choice.ways, at_once));
      std::vector<int> ways(parcels.size(), 0);
      for (std::size_t p = 0; p < ways.size();) {
        EXPECT_GE(end_of(parcels, ways, at_once), choice.seconds * (1 - 1e-6));
        for (p = 0; p < ways.size() && ++ways[p] == static_cast<int>(parcels[p].size()); ++p) ways[p] = 0;
      }
    }
  }
}

// More parcels than can be tried out: near the bound that no choice can beat.
TEST(Choice, ManyParcelsAreBalanced) {
  auto random = test::random(2);
  for (int trial = 0; trial < 20; ++trial) {
    std::uniform_real_distribution<double> seconds(1e-5, 1e-4);
    Parcels parcels;
    double work = 0;
    for (int p = 0; p < 40; ++p) {
      const double s = seconds(random);
      parcels.push_back({{1, 0, 0, s}, {2, 0, 0, s}});
      work += s;
    }
    const Choice choice = choose_ways(parcels, true);
    EXPECT_DOUBLE_EQ(choice.seconds, end_of(parcels, choice.ways, true));
    EXPECT_LT(choice.seconds, work / 2 * 1.02);
  }
}

} // namespace
} // namespace tasuki
