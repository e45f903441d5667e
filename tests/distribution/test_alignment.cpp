// Arrays aligned with templates over nodes, against their elements one by one.
#include <tasuki/distribution/alignment.hpp>
#include <tests/checks.hpp>
#include <tests/distribution/ranks_from.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace tasuki {
namespace {

Format some_format(std::mt19937& random, long count, int nodes) {
  const auto pick = [&](long most) { return 1 + static_cast<long>(random() % static_cast<unsigned>(most)); };
  switch (random() % 4) {
    case 0: return block();
    case 1: return cyclic(pick(4));
    case 2: return block((count + nodes - 1) / nodes + pick(2));
    default: break;
  }
  std::vector<long> sizes(static_cast<std::size_t>(nodes), 0);
  for (long k = 0; k < count; ++k) ++sizes[random() % static_cast<unsigned>(nodes)];
  return gblock(sizes);
}

// Of random arrays each element lies with those nodes that hold its template index, one by one in places that no two share.
TEST(Alignment, GivesEveryElementToTheOwnersOfItsTemplateIndex) {
  std::mt19937 random(11);
  const auto pick = [&](long low, long high) {
    return low + static_cast<long>(random() % static_cast<unsigned>(high - low + 1));
  };
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    const std::vector<int> extents{static_cast<int>(pick(1, 3)), static_cast<int>(pick(1, 3))};
    const Nodes p(extents, test::ranks_from(extents[0] * extents[1]));
    // Template axes 0 and 2 are cut; arrays go along 2 and 1, or 0 and 2, with offsets.
    const std::vector<Extent> space{{pick(-2, 2), pick(6, 12)}, {0, 9}, {pick(0, 1), pick(6, 12)}};
    Template t(space);
    t.distribute(p, {some_format(random, space[0].count, extents[0]), whole(),
                     some_format(random, space[2].count, extents[1])});
    const bool both = pick(0, 1);
    const int dim = both ? 0 : 1;
    const long n = pick(0, 6), m = pick(1, 6);
    const long offset = space[2].first + pick(0, space[2].count - n);
    const long other =
        space[static_cast<std::size_t>(dim)].first + pick(0, space[static_cast<std::size_t>(dim)].count - m);
    const Alignment a({n, 3, m}, t, {with(2, offset), not_aligned(), with(dim, other)});
    const Cut &cut0 = t.axes()[0].cut, &cut2 = t.axes()[2].cut;
    std::vector<std::set<std::vector<long>>> places(static_cast<std::size_t>(p.size()));
    for (long i = 0; i < n; ++i)
      for (long j = 0; j < 3; ++j)
        for (long k = 0; k < m; ++k) {
          std::vector<int> expected;
          for (int number = 0; number < p.size(); ++number) {
            const Coordinates at = p.coordinates(number);
            if (at[1] == cut2.owner(i + offset) && (!both || at[0] == cut0.owner(k + other)))
              expected.push_back(number);
          }
          ASSERT_EQ(a.owners({i, j, k}), expected);
          ASSERT_EQ(
              owners(t, {both ? Subscript::one(k + other) : Subscript::all(),
                         both ? Subscript::all() : Subscript::one(k + other), Subscript::one(i + offset)}),
              expected);
          for (const int number : expected) {
            ASSERT_TRUE(a.holds(number, {i, j, k}));
            const std::vector<long> place{a.axes()[0].place(i), a.axes()[1].place(j), a.axes()[2].place(k)};
            for (int d = 0; d < 3; ++d) {
              ASSERT_GE(place[static_cast<std::size_t>(d)], 0);
              ASSERT_LT(place[static_cast<std::size_t>(d)],
                        a.axes()[static_cast<std::size_t>(d)].count(a.coordinate(number, d)));
            }
            ASSERT_TRUE(places[static_cast<std::size_t>(number)].insert(place).second);
          }
        }
    for (int number = 0; number < p.size(); ++number) {
      ASSERT_EQ(a.elements(number), static_cast<long>(places[static_cast<std::size_t>(number)].size()));
      for (int d = 0; d < 3; ++d) {
        const AlignedAxis& axis = a.axes()[static_cast<std::size_t>(d)];
        const int node = a.coordinate(number, d);
        std::vector<long> own, held;
        for (long i = 0; i < axis.extent(); ++i)
          if (axis.owner(i) == node) own.push_back(i);
        for (const Progression& q : axis.runs(node, {-3, axis.extent() + 9, 1}))
          for (long k = 0; k < q.count; ++k) held.push_back(q[k]);
        ASSERT_EQ(held, own);
        ASSERT_EQ(axis.least(node), own.empty() ? 0 : own.front());
        ASSERT_EQ(axis.end(node), own.empty() ? 0 : own.back() + 1);
      }
    }
  }
}

TEST(Alignment, RefusesWhatItsTemplateHasNot) {
  Template t({{0, 10}, {0, 10}});
  EXPECT_EQ(test::refusal([&] { Alignment({10}, t, {with(0)}); }),
            "an array is aligned with a template that is not distributed; distribute it, or fix it, before");
  t.distribute(Nodes({2}, {0, 1}), {block(), whole()});
  EXPECT_EQ(test::refusal([&] {
              Alignment({10, 3}, t, {with(0), with(0)});
            }),
            "two dimensions of an array are aligned with dimension 0 of a template; align one of them");
  EXPECT_EQ(test::refusal([&] { Alignment({10}, t, {with(0, 1)}); }),
            "indices 0 to 9 of dimension 0 of an array, moved by 1, are not all in 0 to 9 of its template; "
            "make the "
            "template larger, or the offset another");
}

} // namespace
} // namespace tasuki
