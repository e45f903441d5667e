// Cuts against tables made index by index: all extents up to 24, nodes up to 7, widths up to 5, and sizes of blocks.
#include <tasuki/distribution/cut.hpp>
#include <tests/checks.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace tasuki {
namespace {

constexpr long kMost = 24;
constexpr int kNodes = 7;

// Who owns each index, and where it lies, by dealing the indices out one by one.
struct Table {
  std::vector<int> owner;
  std::vector<long> place;
  std::vector<std::vector<long>> of; // by node

  Table(long count, const Format& format, int nodes) : of(static_cast<std::size_t>(nodes)) {
    std::vector<long> room; // how many a node takes before the next one's turn
    for (int node = 0; node < nodes; ++node) {
      long width = format.width ? format.width : 1;
      if (format.kind == Format::Kind::whole) width = count;
      if (format.kind == Format::Kind::gblock) width = format.sizes[static_cast<std::size_t>(node)];
      if (format.kind == Format::Kind::block && !format.width)
        while (width * nodes < count) ++width;
      room.push_back(width);
    }
    int node = 0;
    long left = room[0];
    for (long index = 0; index < count; ++index) {
      while (left == 0) {
        node = (node + 1) % nodes;
        left = room[static_cast<std::size_t>(node)];
      }
      --left;
      owner.push_back(node);
      place.push_back(static_cast<long>(of[static_cast<std::size_t>(node)].size()));
      of[static_cast<std::size_t>(node)].push_back(index);
    }
  }
};

void expect_alike(long first, long count, const Format& format, int nodes) {
  SCOPED_TRACE(to_string(format) + " of " + std::to_string(count) + " from " + std::to_string(first) +
               " over " + std::to_string(nodes));
  const Cut cut({first, count}, format, nodes);
  const Table table(count, format, nodes);
  for (long at = 0; at < count; ++at) {
    const int owner = table.owner[static_cast<std::size_t>(at)];
    const long place = table.place[static_cast<std::size_t>(at)];
    ASSERT_EQ(cut.owner(first + at), owner);
    ASSERT_EQ(cut.place(first + at), place);
    ASSERT_EQ(cut.index(owner, place), first + at);
  }
  for (int node = 0; node < cut.nodes(); ++node) {
    const auto& own = table.of[static_cast<std::size_t>(node)];
    ASSERT_EQ(cut.count(node), static_cast<long>(own.size()));
    if (!own.empty()) {
      ASSERT_EQ(cut.least(node), first + own.front());
      ASSERT_EQ(cut.greatest(node), first + own.back());
    } else {
      ASSERT_EQ(cut.greatest(node), cut.least(node) - 1);
    }
  }
}

// Sections from below the extent to beyond it, with steps up and down.
void expect_sections_alike(long first, long count, const Format& format, int nodes) {
  SCOPED_TRACE(to_string(format) + " of " + std::to_string(count) + " from " + std::to_string(first) +
               " over " + std::to_string(nodes));
  const Cut cut({first, count}, format, nodes);
  const Table table(count, format, nodes);
  for (const long step : {1L, 2L, 3L, 5L, -1L, -4L})
    for (long from = -2; from <= count + 1; from += 3)
      for (const long many : {0L, 1L, 2L, 7L, count + 3}) {
        const Progression section{first + from, many, step};
        for (int node = 0; node < cut.nodes(); ++node) {
          std::vector<long> expected;
          for (long k = 0; k < many; ++k) {
            const long at = from + k * step;
            if (at >= 0 && at < count && table.owner[static_cast<std::size_t>(at)] == node)
              expected.push_back(first + at);
          }
          std::sort(expected.begin(), expected.end());
          const auto listed = [&](const std::vector<Progression>& list) {
            std::vector<long> all;
            for (const Progression& p : list) {
              EXPECT_GT(p.count, 0);
              EXPECT_GT(p.step, 0);
              for (long k = 0; k < p.count; ++k) {
                all.push_back(p[k]);
                if (k < 2) continue;
                EXPECT_EQ(cut.place(p[k]) - cut.place(p[k - 1]), cut.place(p[1]) - cut.place(p[0]));
              }
            }
            return all;
          };
          ASSERT_EQ(listed(cut.runs(node, section)), expected); // in order
          auto held = listed(cut.held(node, section));
          std::sort(held.begin(), held.end());
          ASSERT_EQ(held, expected);
          ASSERT_LE(cut.held(node, section).size(),
                    cut.runs(node, section).size() + static_cast<std::size_t>(cut.width()));
        }
      }
}

std::vector<Format> all_formats(long count, int nodes, std::mt19937& random) {
  std::vector<Format> formats{block()};
  for (long width = 1; width <= 5; ++width) {
    formats.push_back(cyclic(width));
    if (width * nodes >= count) formats.push_back(block(width));
  }
  for (int k = 0; k < 3; ++k) { // sizes by chance, none at some nodes
    std::vector<long> sizes(static_cast<std::size_t>(nodes), 0);
    for (long index = 0; index < count; ++index) ++sizes[random() % static_cast<unsigned>(nodes)];
    formats.push_back(gblock(std::move(sizes)));
  }
  if (nodes == 1) formats.push_back(whole());
  return formats;
}

TEST(Cut, IsTheTableOfIndicesDealtOut) {
  std::mt19937 random(7);
  for (long count = 0; count <= kMost; ++count)
    for (int nodes = 1; nodes <= kNodes; ++nodes)
      for (const Format& format : all_formats(count, nodes, random))
        for (const long first : {0L, 1L, -3L}) {
          expect_alike(first, count, format, nodes);
          if (HasFatalFailure()) return;
        }
}

TEST(Cut, HoldsOfSectionsWhatItOwns) {
  std::mt19937 random(8);
  for (long count = 0; count <= kMost; ++count)
    for (int nodes = 1; nodes <= kNodes; ++nodes)
      for (const Format& format : all_formats(count, nodes, random)) {
        expect_sections_alike(count % 3 - 1, count, format, nodes);
        if (HasFatalFailure()) return;
      }
}

TEST(Cut, OfBlocksTakesWhatIsLeftForTheLast) {
  const auto counts = [](long count, int nodes) {
    const Cut cut({0, count}, block(), nodes);
    std::vector<long> all;
    for (int node = 0; node < nodes; ++node) all.push_back(cut.count(node));
    return all;
  };
  EXPECT_EQ(counts(10, 4), (std::vector<long>{3, 3, 3, 1}));
  EXPECT_EQ(counts(9, 4), (std::vector<long>{3, 3, 3, 0}));
}

TEST(Cut, RefusesWhatDoesNotReachTheEnd) {
  EXPECT_EQ(test::refusal([] {
              Cut({0, 10}, block(2), 4);
            }),
            "block(2) does not reach the end of 10 indices over 4 nodes; take blocks of 3 or more");
  EXPECT_EQ(test::refusal([] {
              Cut({0, 10}, gblock({3, 3}), 2);
            }),
            "gblock(3 3) does not reach the end of 10 indices over 2 nodes; give it sizes of 10 together");
  EXPECT_EQ(test::refusal([] {
              Cut({0, 10}, gblock({3, 7}), 3);
            }),
            "gblock(3 7) has 2 sizes for 10 indices over 3 nodes; give it one a node");
  EXPECT_EQ(test::refusal([] {
              Cut({0, 10}, gblock({-3, 13}), 2);
            }),
            "gblock(-3 13) has a size below 0; give it sizes of 0 or more");
}

} // namespace
} // namespace tasuki
