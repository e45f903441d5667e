// Progressions against the lists of their indices: what two have in common, which numbers indices have, what
// a loop does.
#include <tasuki/distribution/progression.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

namespace tasuki {
namespace {

using Chance = std::mt19937_64;
using Indices = std::vector<long>;

long drawn(Chance& chance, long low, long high) {
  return std::uniform_int_distribution<long>(low, high)(chance);
}

// One by one, as a loop goes.
Indices listed(const Progression& p) {
  Indices list;
  for (long k = 0, index = p.first; k < p.count; ++k, index += p.step) list.push_back(index);
  return list;
}

Indices sorted(Indices list) {
  std::sort(list.begin(), list.end());
  return list;
}

TEST(Progression, MeetsAnotherInWhatBothHave) {
  for (long s = -5; s <= 5; ++s)
    for (long t = -5; t <= 5; ++t)
      for (long f = -4; f <= 4; ++f)
        for (long n = 0; n <= 6; ++n)
          for (long m = 0; m <= 9; m += 3) {
            if (s == 0 || t == 0) continue;
            const Progression a{f, n, s}, b{1, m, t};
            std::set<long> expected;
            for (long k = 0; k < n; ++k)
              for (long l = 0; l < m; ++l)
                if (a[k] == b[l]) expected.insert(a[k]);
            const Progression both = intersect(a, b);
            std::set<long> found;
            for (long k = 0; k < both.count; ++k) found.insert(both[k]);
            ASSERT_EQ(found, expected) << f << " " << n << " " << s << " with 1 " << m << " " << t;
            ASSERT_EQ(static_cast<long>(found.size()), both.count);
            ASSERT_GT(both.step, 0);
          }
}

TEST(Progression, OfALoopIsWhatTheLoopDoes) {
  for (long first = -3; first <= 3; ++first)
    for (long bound = -3; bound <= 3; ++bound)
      for (const long step : {1L, 2L, 3L, -1L, -2L, -3L}) {
        std::vector<long> expected, found;
        for (long i = first; step > 0 ? i < bound : i > bound; i += step) expected.push_back(i);
        const Progression loop = until(first, bound, step);
        for (long k = 0; k < loop.count; ++k) found.push_back(loop[k]);
        EXPECT_EQ(found, expected);
      }
}

TEST(Progression, HasWhatItLists) {
  for (const long first : {-7L, 0L, 3L})
    for (long count = 0; count < 6; ++count)
      for (const long step : {-3L, -1L, 1L, 2L, 5L}) {
        const Progression p{first, count, step};
        const Indices list = listed(p);
        EXPECT_EQ(p.empty(), list.empty());
        for (long index = -40; index <= 40; ++index)
          ASSERT_EQ(p.has(index), std::count(list.begin(), list.end(), index) == 1)
              << index << " in " << first << " " << count << " " << step;
        if (!list.empty()) {
          EXPECT_EQ(p.last(), list.back());
        }
        EXPECT_EQ(listed(reversed(p)), Indices(list.rbegin(), list.rend()));
        EXPECT_EQ(listed(ascending(p)), sorted(list));
        for (std::size_t k = 0; k < list.size(); ++k) EXPECT_EQ(number_in(p, list[k]), static_cast<long>(k));
      }
  EXPECT_EQ(listed(span(3, 6)), (Indices{3, 4, 5}));
  EXPECT_TRUE(span(6, 3).empty());
}

// Both go through one index on purpose. All that they share is then a least common multiple apart, as far as
// both reach; the products of such steps and distances are longer than a word.
TEST(Progression, MeetsAnotherOfLongSteps) {
  Chance chance(21);
  for (int round = 0; round < 20000; ++round) {
    const long most = round % 2 ? 1000000000 : 60;
    const Progression a{0, drawn(chance, 1, 1000000000), drawn(chance, 1, most)},
        b{0, drawn(chance, 1, 1000000000), drawn(chance, 1, most)};
    const long place = drawn(chance, -1000000, 1000000);
    const auto through = [&](Progression p) {
      p.first = place - drawn(chance, 0, p.count - 1) * p.step;
      return drawn(chance, 0, 1) ? p : reversed(p);
    };
    const Progression one = through(a), other = through(b), both = intersect(one, other);
    const long apart = std::lcm(a.step, b.step);
    const long from = std::max(ascending(one).first, ascending(other).first),
               to = std::min(ascending(one).last(), ascending(other).last());
    ASSERT_TRUE(both.has(place));
    ASSERT_LT(both.first - from, apart);
    ASSERT_LT(to - both.last(), apart);
    ASSERT_EQ(both.step, both.count > 1 ? apart : 1);
    for (const long end : {both.first, both.last()}) {
      ASSERT_TRUE(one.has(end)) << end;
      ASSERT_TRUE(other.has(end)) << end;
    }
  }
}

// Progressions without a common index: stretches one behind another, each of some residues of a step, in any
// order, up or down.
std::vector<Progression> disjoint(Chance& chance) {
  std::vector<Progression> list;
  long at = drawn(chance, -10, 10);
  for (long stretch = drawn(chance, 0, 6); stretch > 0; --stretch) {
    const long step = drawn(chance, 1, 4), count = drawn(chance, 0, 7);
    for (long residue = 0; residue < step; ++residue) {
      if (drawn(chance, 0, 3) == 0) continue;
      const Progression p{at + residue, count, step};
      list.push_back(drawn(chance, 0, 1) && !p.empty() ? reversed(p) : p);
    }
    at += step * count + drawn(chance, 0, 3);
  }
  std::shuffle(list.begin(), list.end(), chance);
  return list;
}

Indices all_of(const std::vector<Progression>& list) {
  Indices all;
  for (const Progression& p : list)
    for (const long index : listed(p)) all.push_back(index);
  return sorted(all);
}

TEST(Progression, ListsMeetInEachCommonIndexOnce) {
  Chance chance(22);
  long common = 0;
  for (int round = 0; round < 20000; ++round) {
    const auto a = disjoint(chance), b = disjoint(chance);
    const Indices left = all_of(a), right = all_of(b);
    Indices expected;
    std::set_intersection(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(expected));
    const auto both = intersect(a, b);
    for (const Progression& p : both) ASSERT_FALSE(p.empty());
    ASSERT_EQ(all_of(both), expected) << "round " << round;
    common += static_cast<long>(expected.size());
  }
  EXPECT_GT(common, 20000);
}

TEST(Progression, NumbersTheIndicesOfAnother) {
  Chance chance(23);
  for (int round = 0; round < 5000; ++round) {
    const long step = drawn(chance, 1, 5) * (drawn(chance, 0, 1) ? 1 : -1);
    const Progression all{drawn(chance, -20, 20), drawn(chance, 1, 30), step};
    // Some of its numbers, up or down, as the indices that they have.
    const long from = drawn(chance, 0, all.count - 1), by = drawn(chance, 1, 4);
    const Progression some{from, drawn(chance, 0, (all.count - 1 - from) / by + 1), by};
    Progression indices{all[some.first], some.count, all.step * by};
    if (drawn(chance, 0, 1) && !indices.empty()) indices = reversed(indices);
    const Progression numbers = numbers_in(all, indices);
    ASSERT_EQ(listed(numbers), listed(some));
    ASSERT_GT(numbers.step, 0);
  }
}

} // namespace
} // namespace tasuki
