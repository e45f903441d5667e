// Owners, homes and runs of them against counting, over all small arrays.
#include <tasuki/space/map.hpp>

#include <tests/checks.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <functional>

namespace tasuki::test {
namespace {

using space::Map;

// The part whose range n * k / d <= i < n * (k + 1) / d has the index, by looking at all of them.
long part_by_search(long n, long d, long i) {
  for (long k = 0; k < d; ++k)
    if (n * k / d <= i && i < n * (k + 1) / d) return k;
  return -1;
}

int owner_by_search(const std::vector<long>& extents, const std::vector<long>& parts, int first, int ranks,
                    long element) {
  std::vector<long> index(extents.size());
  for (std::size_t a = extents.size(); a-- > 0; element /= extents[a]) index[a] = element % extents[a];
  long part = 0;
  for (std::size_t a = 0; a < extents.size(); ++a)
    part = part * parts[a] + part_by_search(extents[a], parts[a], index[a]);
  return first + static_cast<int>(part % ranks);
}

// Every list of `axes` numbers from 1 to `most`.
void each(std::size_t axes, long most, const std::function<void(const std::vector<long>&)>& act) {
  std::vector<long> list(axes, 1);
  for (;;) {
    act(list);
    std::size_t a = 0;
    while (a < axes && ++list[a] > most) list[a++] = 1;
    if (a == axes) return;
  }
}

TEST(Map, OwnersAndHomesAreThoseOfTheFormula) {
  long seen = 0;
  for (std::size_t axes = 1; axes <= space::kMostAxes; ++axes) {
    const long most = axes == 1 ? 9 : axes <= 3 ? 4 : axes == 4 ? 3 : 2;
    each(axes, most, [&](const std::vector<long>& extents) {
      each(axes, most, [&](const std::vector<long>& parts) {
        for (std::size_t a = 0; a < axes; ++a)
          if (parts[a] > extents[a]) return;
        for (const int ranks : {1, 2, 3}) {
          const Map map(extents, parts, 3, 1, ranks);
          long same = 0;
          for (long e = 0; e < map.elements(); ++e, ++seen) {
            const int owner = owner_by_search(extents, parts, 1, ranks, e);
            ASSERT_EQ(map.owner(e), owner) << "element " << e;
            if (e == same) same = map.same_until(e);
            ASSERT_GT(same, e);
            if (e + 1 < same) {
              ASSERT_EQ(owner_by_search(extents, parts, 1, ranks, e + 1), owner);
            }
          }
          for (const std::size_t page : {2u, 4u, 16u}) {
            std::uint64_t next = 0;
            int before = -1;
            for (const Map::Run& run : map.homes(page)) {
              ASSERT_EQ(run.page, next);
              ASSERT_NE(run.home, before);
              before = run.home;
              for (std::uint64_t p = run.page; p < run.page + run.count; ++p) {
                const int home = owner_by_search(extents, parts, 1, ranks, static_cast<long>(p * page / 3));
                ASSERT_EQ(run.home, home) << "page " << p;
                ASSERT_EQ(map.home(p, page), home);
              }
              next += run.count;
            }
            ASSERT_EQ(next, map.pages(page));
          }
        }
      });
    });
  }
  EXPECT_GT(seen, 10000);
}

TEST(Map, AlignedPartsBeginAtPages) {
  for (const long rows : {8L, 9L, 13L, 64L})
    for (const long row : {1L, 3L, 6L})
      for (const long parts : {1L, 2L, 3L}) {
        const std::size_t page = 32;
        if (parts > rows * row * 8 / 32 / 4) continue;
        Map map;
        try {
          map = Map({rows, row}, {parts, 1}, 8, 0, static_cast<int>(parts), page);
        } catch (const Error&) {
          continue;
        }
        for (long part = 0; part < parts; ++part) {
          const long first = map.begin(0, part);
          EXPECT_EQ(first * row * 8 % 32, 0) << rows << " rows of " << row << ", part " << part;
          EXPECT_EQ(map.owner(first * row), part);
          if (first > 0) {
            EXPECT_EQ(map.owner(first * row - 1), part - 1);
          }
        }
        // No page has two owners, so homes are owners.
        for (long e = 0; e < map.elements(); ++e)
          EXPECT_EQ(map.home(static_cast<std::uint64_t>(e) * 8 / page, page), map.owner(e));
      }
}

TEST(Map, LargeArraysAreCutWithoutOverflow) {
  const Map map({1L << 20, 1L << 10, 1L << 10}, {3, 2, 1}, 8, 0, 6);
  EXPECT_EQ(map.owner(0), 0);
  EXPECT_EQ(map.owner(map.elements() - 1), 5);
  EXPECT_EQ(map.homes(4096).size(), (1u << 20) * 2u);
}

TEST(Map, BadInputIsRefusedInWords) {
  EXPECT_EQ(refusal([] {
              Map({4, 4}, {2}, 8, 0, 2);
            }),
            "an array has 2 extents and is cut along 1 axes; give dim and div equally many numbers before "
            "their -1");
  EXPECT_EQ(refusal([] { Map({2}, {3}, 8, 0, 2); }),
            "axis 0 of an array has 2 elements and is cut into 3 parts; give it 1 element or more, and 1 to "
            "as many parts");
  EXPECT_NE(refusal([] { Map({1L << 40, 1L << 40}, {1, 1}, 8, 0, 1); }).find("2^62"), std::string::npos);
  EXPECT_NE(refusal([] { Map({4}, {4}, 8, 0, 4, 4096); }).find("begin at pages"), std::string::npos);
}

} // namespace
} // namespace tasuki::test
