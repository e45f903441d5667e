// Templates: which dimension of the nodes cuts which of theirs, and who owns what a reference names, against
// all its indices.
#include <tasuki/distribution/template.hpp>
#include <tests/checks.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

namespace tasuki {
namespace {

class Chances {
public:
  explicit Chances(unsigned seed) : random_(seed) {}
  long pick(long low, long high) { return std::uniform_int_distribution<long>(low, high)(random_); }

private:
  std::mt19937 random_;
};

Format cut_by_chance(Chances& chances, long count, int nodes) {
  switch (chances.pick(0, 3)) {
    case 0: return block();
    case 1: return cyclic(chances.pick(1, 4));
    case 2: return block((count + nodes - 1) / nodes + chances.pick(1, 2));
    default: break;
  }
  std::vector<long> sizes(static_cast<std::size_t>(nodes), 0);
  for (long k = 0; k < count; ++k) ++sizes[static_cast<std::size_t>(chances.pick(0, nodes - 1))];
  return gblock(sizes);
}

struct Reference {
  Subscript subscript;
  std::vector<long> indices;
};

// One index, some up or down, or all of an extent.
Reference named_by_chance(Chances& chances, const Extent& extent) {
  const long end = extent.first + extent.count;
  const long from = chances.pick(extent.first, end - 1), to = chances.pick(extent.first, end - 1);
  Reference named;
  switch (chances.pick(0, 3)) {
    case 0: named = {Subscript::one(from), {from}}; break;
    case 1: {
      const long step = (from <= to ? 1 : -1) * chances.pick(1, 4);
      for (long k = from; step > 0 ? k <= to : k >= to; k += step) named.indices.push_back(k);
      named.subscript = Subscript::range({from, static_cast<long>(named.indices.size()), step});
      break;
    }
    default: named.subscript = chances.pick(0, 1) ? Subscript::all() : Subscript::own();
  }
  return named;
}

TEST(Template, IsOwnedByTheNodesThatHoldWhatAReferenceNames) {
  Chances chances(41);
  for (int round = 0; round < 3000; ++round) {
    std::vector<Extent> space;
    std::vector<Format> formats;
    std::vector<int> shape; // of the nodes: an extent for each dimension that is cut
    std::vector<int> node_dims;
    for (long d = chances.pick(1, 3); d > 0; --d) {
      space.push_back({chances.pick(-3, 3), chances.pick(1, 12)});
      const bool is_cut = chances.pick(0, 2) > 0 || (d == 1 && shape.empty());
      node_dims.push_back(is_cut ? static_cast<int>(shape.size()) : -1);
      if (is_cut) shape.push_back(static_cast<int>(chances.pick(1, 3)));
      formats.push_back(is_cut ? cut_by_chance(chances, space.back().count, shape.back()) : whole());
    }
    int size = 1;
    for (const int extent : shape) size *= extent;
    std::vector<int> members(static_cast<std::size_t>(size));
    std::iota(members.begin(), members.end(), 7);
    const Nodes p(shape, members);
    Template t(space);
    EXPECT_FALSE(t.distributed());
    t.distribute(p, formats);
    ASSERT_TRUE(t.distributed());
    ASSERT_EQ(t.nodes(), p);
    for (int d = 0; d < t.dims(); ++d) {
      const Template::Axis& axis = t.axes()[static_cast<std::size_t>(d)];
      ASSERT_EQ(axis.node_dim, node_dims[static_cast<std::size_t>(d)]);
      ASSERT_EQ(axis.cut.nodes(), axis.node_dim < 0 ? 1 : p.extent(axis.node_dim));
      ASSERT_EQ(axis.cut.kind(), formats[static_cast<std::size_t>(d)].kind);
      ASSERT_EQ(axis.cut.extent(), space[static_cast<std::size_t>(d)]);
    }

    Subscripts subscripts;
    std::vector<std::set<int>> along(shape.size()); // coordinates of those that hold some
    for (int d = 0; d < t.dims(); ++d) {
      const Reference named = named_by_chance(chances, space[static_cast<std::size_t>(d)]);
      subscripts.push_back(named.subscript);
      const Template::Axis& axis = t.axes()[static_cast<std::size_t>(d)];
      if (axis.node_dim < 0) continue;
      std::set<int>& hold = along[static_cast<std::size_t>(axis.node_dim)];
      for (const long index : named.indices) hold.insert(axis.cut.owner(index));
      if (named.indices.empty()) // all, and those without indices too
        for (int node = 0; node < axis.cut.nodes(); ++node) hold.insert(node);
    }
    std::vector<int> expected;
    for (int number = 0; number < size; ++number) {
      const Coordinates at = p.coordinates(number);
      bool holds = true;
      for (std::size_t d = 0; d < at.size(); ++d) holds = holds && along[d].count(at[d]) == 1;
      if (holds) expected.push_back(number);
    }
    ASSERT_EQ(owners(t, subscripts), expected) << "round " << round;
  }
}

TEST(Template, HasNoOwnerOfARangeWithoutIndices) {
  Template t({{0, 10}, {0, 10}});
  t.distribute(Nodes({2}, {0, 1}), {block(), whole()});
  using S = Subscript;
  EXPECT_EQ(owners(t, {S::all(), S::all()}), (std::vector<int>{0, 1}));
  EXPECT_TRUE(owners(t, {S::range({10, 0, 1}), S::all()}).empty());
  EXPECT_TRUE(owners(t, {S::all(), S::range({10, 0, 1})}).empty()); // though that dimension is not cut
}

TEST(Template, RefusesFormatsThatAreNotOfItsNodes) {
  const Nodes line({2}, {0, 1});
  Template t({{0, 10}, {0, 10}});
  const auto refused = [&](const std::vector<Format>& formats) {
    return test::refusal([&] { t.distribute(line, formats); });
  };
  EXPECT_EQ(refused({block()}), "a template of 2 dimensions has 1 formats; give each dimension one");
  EXPECT_EQ(
      refused({block(), block()}),
      "2 dimensions are cut over nodes of 1; cut as many as the nodes have, and write * for the others");
  EXPECT_EQ(
      refused({whole(), whole()}),
      "0 dimensions are cut over nodes of 1; cut as many as the nodes have, and write * for the others");
  EXPECT_NE(refused({whole(), block(2)}), ""); // the cut's own
  EXPECT_FALSE(t.distributed());
  EXPECT_EQ(refused({whole(), cyclic()}), "");
  EXPECT_NE(refused({block(2), whole()}), "");
  EXPECT_EQ(t.axes()[1].cut.kind(), Format::Kind::cyclic) << "one that is refused changes nothing";
}

TEST(Template, RefusesReferencesToWhatItHasNot) {
  using S = Subscript;
  Template t({{1, 10}, {0, 5}});
  const auto refused = [&](const Subscripts& subscripts) {
    return test::refusal([&] { owners(t, subscripts); });
  };
  EXPECT_EQ(refused({S::all(), S::all()}),
            "a template is not distributed; distribute it, or fix it, before it is used");
  t.distribute(Nodes({2}, {0, 1}), {block(), whole()});
  EXPECT_EQ(refused({S::all()}), "a template of 2 dimensions has 1 subscripts; give each dimension one");
  const auto outside = [](const char* index, const char* where) {
    return std::string("index ") + index + " is outside of dimension " + where + "; name indices that it has";
  };
  const char *cut = "0 of a template, 1 to 10", *uncut = "1 of a template, 0 to 4";
  EXPECT_EQ(refused({S::one(10), S::one(4)}), "");
  EXPECT_EQ(refused({S::one(11), S::all()}), outside("11", cut));
  EXPECT_EQ(refused({S::one(0), S::all()}), outside("0", cut));
  EXPECT_EQ(refused({S::all(), S::one(5)}), outside("5", uncut));
  EXPECT_EQ(refused({S::range({8, 2, 2}), S::all()}), "");
  EXPECT_EQ(refused({S::range({8, 3, 2}), S::all()}), outside("12", cut));
  EXPECT_EQ(refused({S::range({3, 3, -2}), S::all()}), outside("-1", cut));
  EXPECT_EQ(refused({S::range({20, 0, 1}), S::all()}), "") << "names none";
}

} // namespace
} // namespace tasuki
