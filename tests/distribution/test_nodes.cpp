// Nodes: their numbers and places, the parts that references name, and extents that are left free, against
// all nodes one by one.
#include <tasuki/distribution/nodes.hpp>
#include <tests/checks.hpp>
#include <tests/distribution/ranks_from.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

namespace tasuki {
namespace {

using test::ranks_from;

TEST(Nodes, NumberTheLastDimensionFastest) {
  const Nodes p({2, 3}, ranks_from(6, 10));
  int number = 0;
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 3; ++i, ++number) {
      EXPECT_EQ(p.number({j, i}), number);
      EXPECT_EQ(p.coordinates(number), (Coordinates{j, i}));
      EXPECT_EQ(p.number_of(10 + number), number);
    }
  EXPECT_FALSE(p.number_of(9));
}

TEST(Nodes, HaveParts) {
  const Nodes p({2, 3}, ranks_from(6));
  using S = Subscript;
  EXPECT_EQ(part(p, {S::all(), S::one(1)}), (std::vector<int>{1, 4}));
  EXPECT_EQ(part(p, {S::one(1), S::range({0, 2, 2})}), (std::vector<int>{3, 5}));
  EXPECT_EQ(part(p, {S::own(), S::all()}, 4), (std::vector<int>{3, 4, 5}));
  EXPECT_EQ(test::refusal([&] {
              part(p, {S::all(), S::one(3)});
            }),
            "there is no node 3 along dimension 1 of 3, counted from 0; name nodes that there are");
  EXPECT_TRUE(part(p, {S::all(), S::range({3, 0, 1})}).empty()); // of no node, wherever it would begin
}

TEST(Nodes, FillWhatIsLeftFree) {
  const auto one = [](int) { return 0; };
  EXPECT_EQ(filled({-1, 2}, 6, one), (std::vector<int>{3, 2}));
  EXPECT_EQ(filled({-1, 2, -1}, 12, [](int k) { return k == 0 ? 3 : 0; }), (std::vector<int>{2, 2, 3}));
  EXPECT_EQ(filled({-1, -1}, 4, one), (std::vector<int>{4, 1}));
  EXPECT_EQ(test::refusal([&] {
              filled({-1, 2}, 3, one);
            }),
            "nodes * x 2 cannot be 3 ranks; start it on a multiple of 2");
  EXPECT_EQ(filled({-1, 2}, 1, one), (std::vector<int>{1, 1})); // the serial program
  EXPECT_EQ(
      test::refusal([&] {
        filled({2, 2}, 6, one);
      }),
      "nodes 2 x 2 are 4, and there are 6 ranks; start it on as many ranks as the nodes, or leave an extent "
      "free by *");
}

// Each node is in a part where its coordinates are named, in the order of the subscripts, the last fastest.
TEST(Nodes, PartsAreWhatTheirSubscriptsNameInTheirOrder) {
  std::mt19937 random(31);
  const auto pick = [&](long low, long high) {
    return std::uniform_int_distribution<long>(low, high)(random);
  };
  for (int round = 0; round < 3000; ++round) {
    std::vector<int> extents;
    for (long d = pick(1, 4); d > 0; --d) extents.push_back(static_cast<int>(pick(1, 4)));
    const int size = std::accumulate(extents.begin(), extents.end(), 1, std::multiplies<>());
    const Nodes p(extents, ranks_from(size, 5));
    const int own = static_cast<int>(pick(0, size - 1));
    Subscripts subscripts;
    std::vector<std::vector<int>> named; // coordinates along each dimension, in order
    for (int d = 0; d < p.dims(); ++d) {
      const int most = p.extent(d) - 1;
      std::vector<int> some;
      switch (pick(0, 3)) {
        case 0:
          some = {static_cast<int>(pick(0, most))};
          subscripts.push_back(Subscript::one(some[0]));
          break;
        case 1: {
          const long from = pick(0, most), to = pick(0, most), step = (from <= to ? 1 : -1) * pick(1, 2);
          for (long k = from; step > 0 ? k <= to : k >= to; k += step) some.push_back(static_cast<int>(k));
          subscripts.push_back(Subscript::range({from, static_cast<long>(some.size()), step}));
          break;
        }
        case 2:
          some = ranks_from(p.extent(d));
          subscripts.push_back(Subscript::all());
          break;
        default:
          some = {p.coordinates(own)[static_cast<std::size_t>(d)]};
          subscripts.push_back(Subscript::own());
      }
      named.push_back(std::move(some));
    }
    std::vector<std::pair<std::vector<long>, int>>
        expected; // where it is among the subscripts' nodes, and its number
    for (int number = 0; number < size; ++number) {
      const Coordinates at = p.coordinates(number);
      std::vector<long> place;
      for (std::size_t d = 0; d < at.size(); ++d) {
        const auto found = std::find(named[d].begin(), named[d].end(), at[d]);
        if (found != named[d].end()) place.push_back(found - named[d].begin());
      }
      if (place.size() == at.size()) expected.emplace_back(place, number);
    }
    std::sort(expected.begin(), expected.end());
    std::vector<int> numbers;
    for (const auto& [place, number] : expected) numbers.push_back(number);
    ASSERT_EQ(part(p, subscripts, own), numbers) << "round " << round;
  }
}

TEST(Nodes, RefuseWhatTheyHaveNot) {
  using S = Subscript;
  const Nodes p({2, 3}, ranks_from(6));
  EXPECT_EQ(test::refusal([&] { part(p, {S::all()}); }),
            "nodes of 2 dimensions have 1 subscripts; give each dimension one");
  EXPECT_EQ(test::refusal([&] {
              part(p, {S::own(), S::all()});
            }),
            "a rank that is no node has no coordinate of its own; give an index instead of *");
  const auto outside = [&](const Progression& along) {
    return test::refusal([&] { part(p, {S::all(), S::range(along)}); });
  };
  const auto none = [](const char* which) {
    return std::string("there is no node ") + which +
           " along dimension 1 of 3, counted from 0; name nodes that there are";
  };
  EXPECT_EQ(outside({0, 3, 1}), "");
  EXPECT_EQ(outside({2, 3, -1}), "");
  EXPECT_EQ(outside({1, 3, 1}), none("3"));
  EXPECT_EQ(outside({1, 3, -1}), none("-1"));
  EXPECT_EQ(outside({-1, 2, 1}), none("-1"));
  EXPECT_EQ(test::refusal([] {
              Nodes({2, 3}, ranks_from(5));
            }),
            "nodes 2 x 3 are 6 over 5 ranks; give them extents that multiply up to 5");
}

// What is given stays, what is wished for is had, and the slowest free extent takes what is left.
TEST(Nodes, FillTheSlowestFreeExtentWithWhatTheOthersLeave) {
  std::mt19937 random(32);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int refused = 0, filled_up = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<int> extents(static_cast<std::size_t>(pick(1, 4)));
    for (int& extent : extents) extent = pick(0, 1) ? pick(-1, 0) : pick(1, 3);
    const std::vector<int> wishes = {pick(0, 3), pick(0, 3), pick(0, 3)};
    const int ranks = pick(2, 12);
    std::vector<int> expected = extents;
    int slowest = -1, others = 1;
    std::size_t wish = 0;
    for (int d = static_cast<int>(extents.size()) - 1; d >= 0; --d) {
      int& extent = expected[static_cast<std::size_t>(d)];
      const bool first = std::all_of(extents.begin(), extents.begin() + d, [](int e) { return e >= 1; });
      if (extent < 1 && first)
        slowest = d;
      else if (extent < 1)
        extent = std::max(1, wishes[wish++]);
      if (d != slowest) others *= extent;
    }
    const bool fits = slowest >= 0 ? ranks % others == 0 : ranks == others;
    if (slowest >= 0) expected[static_cast<std::size_t>(slowest)] = ranks / others;
    std::vector<int> found;
    const std::string why = test::refusal(
        [&] { found = filled(extents, ranks, [&](int k) { return wishes[static_cast<std::size_t>(k)]; }); });
    ASSERT_EQ(why.empty(), fits) << why;
    if (fits) {
      ASSERT_EQ(found, expected);
    }
    ++(fits ? filled_up : refused);
  }
  EXPECT_GT(refused, 300);
  EXPECT_GT(filled_up, 300);
}

} // namespace
} // namespace tasuki
