// Shadows and assignments of random arrays against their global indices: each element holds its own, so that any byte in a
// wrong place shows.
#include <tasuki/array/redistribution.hpp>
#include <tasuki/array/reflect.hpp>
#include <tasuki/base/reduce.hpp>
#include <tasuki/transfer/ask.hpp>
#include <tests/checks.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <string>

namespace tasuki {
namespace {

using test::pick;
using test::Random;

Device& host() { return Device::host(test::world()); }

// How the ranks of the world are arranged along so many dimensions.
std::vector<int> some_extents(Random& random, int ranks, int dims) {
  std::vector<int> extents(static_cast<std::size_t>(dims), 1);
  for (int prime = 2; ranks > 1; ++prime)
    for (; ranks % prime == 0; ranks /= prime)
      extents[static_cast<std::size_t>(pick(random, 0, dims - 1))] *= prime;
  return extents;
}

Format some_format(Random& random, long count, int nodes, bool linear) {
  switch (pick(random, 0, linear ? 2 : 4)) {
    case 0: return block();
    case 1: return block((count + nodes - 1) / nodes + pick(random, 0, 2));
    case 2: break;
    case 3: return cyclic();
    default: return cyclic(pick(random, 2, 4));
  }
  std::vector<long> sizes(static_cast<std::size_t>(nodes), 0);
  for (long k = 0; k < count; ++k) ++sizes[static_cast<std::size_t>(pick(random, 0, nodes - 1))];
  return gblock(sizes);
}

struct Shape {
  std::vector<long> extents;
  Alignment alignment;
  std::vector<Shadow> shadows;
};

// An array over all ranks, or some of them: dimensions that go along a template's in any order, some along none.
Shape some_shape(Random& random, const std::vector<long>& extents, bool shadowed) {
  const int dims = static_cast<int>(extents.size());
  const int ranks = test::world().size(),
            used = pick(random, 0, 3) ? ranks : static_cast<int>(pick(random, 1, ranks));
  const int first = static_cast<int>(pick(random, 0, ranks - used));
  std::vector<int> members(static_cast<std::size_t>(used)), order(static_cast<std::size_t>(dims));
  std::iota(members.begin(), members.end(), first);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  const int space =
      static_cast<int>(pick(random, 1, dims)) + static_cast<int>(pick(random, 0, 1)); // of the template
  const int node_dims = static_cast<int>(pick(random, 1, std::min(space, 3)));
  const Nodes nodes(some_extents(random, used, node_dims), members);

  std::vector<Along> along(static_cast<std::size_t>(dims), not_aligned());
  std::vector<Extent> template_extents;
  for (int k = 0; k < space; ++k) {
    Extent extent{pick(random, -2, 2), pick(random, 4, 9)};
    if (k < dims) {
      const auto d = static_cast<std::size_t>(order[static_cast<std::size_t>(k)]);
      const long offset = extent.first + pick(random, 0, 2);
      extent.count = offset - extent.first + extents[d] + pick(random, 0, 2);
      along[d] = with(k, offset);
    }
    template_extents.push_back(extent);
  }
  std::vector<int> cut(static_cast<std::size_t>(space));
  std::iota(cut.begin(), cut.end(), 0);
  std::shuffle(cut.begin(), cut.end(), random);
  cut.resize(static_cast<std::size_t>(node_dims));
  std::sort(cut.begin(), cut.end());
  std::vector<Format> formats(static_cast<std::size_t>(space));
  for (int k = 0; k < node_dims; ++k) {
    const auto dim = static_cast<std::size_t>(cut[static_cast<std::size_t>(k)]);
    formats[dim] =
        some_format(random, template_extents[dim].count, nodes.extent(k), shadowed && pick(random, 0, 3));
  }
  Template t(template_extents);
  t.distribute(nodes, formats);
  Shape shape{extents, Alignment(extents, t, along), std::vector<Shadow>(extents.size())};
  if (shadowed)
    for (std::size_t d = 0; d < extents.size(); ++d) {
      Shadow& shadow = shape.shadows[d];
      if (shape.alignment.axes()[d].linear()) shadow = {pick(random, 0, 3), pick(random, 0, 3)};
      if (pick(random, 0, 5) == 0) shadow = {0, 0, true};
    }
  return shape;
}

long number_of(const std::vector<long>& extents, const std::vector<long>& index) {
  long number = 0;
  for (std::size_t d = 0; d < extents.size(); ++d) number = number * extents[d] + index[d];
  return number;
}

void each_index(const std::vector<long>& extents,
                const std::function<void(const std::vector<long>&)>& visit) {
  std::vector<long> index(extents.size());
  const auto walk = [&](const auto& self, std::size_t d) -> void {
    if (d == extents.size()) return visit(index);
    for (index[d] = 0; index[d] < extents[d]; ++index[d]) self(self, d + 1);
  };
  walk(walk, 0);
}

// Elements of an odd size: a number, and bytes behind it that go with it.
struct Element {
  std::int32_t number;
  char rest[3];
};
Element element(long number) {
  Element made{static_cast<std::int32_t>(number), {}};
  for (int k = 0; k < 3; ++k) made.rest[k] = static_cast<char>(number * 31 + k);
  return made;
}
bool same(const Element& a, const Element& b) { return std::memcmp(&a, &b, 7) == 0; }

void fill(Array& array, const Shape& shape, long add) {
  each_index(shape.extents, [&](const std::vector<long>& index) {
    if (array.node() >= 0 && shape.alignment.holds(array.node(), index))
      *array.at<Element>(index) = element(add + number_of(shape.extents, index));
  });
}

std::vector<long> some_counts(Random& random, int dims) {
  std::vector<long> extents(static_cast<std::size_t>(dims));
  for (long& extent : extents) extent = pick(random, 1, dims == 1 ? 20 : dims < 4 ? 8 : 5);
  return extents;
}

// Every cell of every memory is looked at: those that reflect fills have the owner's value, all others what they had.
TEST(Reflect, FillsShadowsFromTheirOwners) {
  Random random = test::random(1);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (int round = 0; round < 250; ++round) {
    SCOPED_TRACE(round);
    const int dims = static_cast<int>(pick(random, 1, 4));
    const Shape shape = some_shape(random, some_counts(random, dims), true);
    Array array(host(), "a", sizeof(Element), shape.alignment, shape.shadows);
    const bool corners = pick(random, 0, 2);
    std::vector<ShadowWidth> widths(shape.extents.size());
    for (std::size_t d = 0; d < widths.size(); ++d) {
      const Shadow& shadow = shape.shadows[d];
      widths[d].periodic = !shadow.full && pick(random, 0, 1);
      if (!shadow.full && pick(random, 0, 1)) {
        widths[d].lo = pick(random, 0, shadow.lo);
        widths[d].hi = pick(random, 0, shadow.hi);
      }
    }
    const long cells = array.holding().bytes() / static_cast<long>(sizeof(Element));
    auto* const memory = reinterpret_cast<Element*>(array.memory().data());
    for (long k = 0; k < cells; ++k) memory[k] = element(-7);
    Reflect reflect({{&array, widths, corners}});
    for (int turn = 0; turn < 2; ++turn) {
      barrier(test::world()); // nobody fills what a neighbour still looks at
      fill(array, shape, 1000 * turn);
      reflect.whole();
      host().stream().synchronize();
      long wrong = 0;
      if (array.node() >= 0 && !array.holding().empty()) {
        std::vector<long> memory_extents, cell_index;
        for (int d = 0; d < dims; ++d) memory_extents.push_back(array.holding().axis(d).cells);
        each_index(memory_extents, [&](const std::vector<long>& cell) {
          std::vector<long> index(cell.size());
          int outside = 0;
          bool filled = true;
          for (int d = 0; d < dims; ++d) {
            const auto at = static_cast<std::size_t>(d);
            const AlignedAxis& axis = shape.alignment.axes()[at];
            const Holding::Axis& held = array.holding().axis(d);
            const int node = shape.alignment.coordinate(array.node(), d);
            if (!held.linear) { // no shadow: the cell-th of its own
              long seen = -1;
              for (long i = 0; i < axis.extent(); ++i)
                if (axis.owner(i) == node && ++seen == cell[at]) index[at] = i;
              continue;
            }
            const long i = cell[at] + held.first, n = axis.extent();
            index[at] = (i % n + n) % n;
            const bool own = i >= 0 && i < n && axis.owner(i) == node;
            if (own) continue;
            ++outside;
            if (shape.shadows[at].full) continue;
            const ShadowWidth& width = widths[at];
            const long below = held.least - i, above = i - held.end + 1;
            const bool in = below > 0 ? below <= (width.lo < 0 ? held.lo : width.lo)
                                      : above <= (width.hi < 0 ? held.hi : width.hi);
            filled = filled && in && (width.periodic || (i >= 0 && i < n));
          }
          filled = filled && (outside < 2 || corners);
          const Element expected =
              filled || outside == 0 ? element(1000 * turn + number_of(shape.extents, index)) : element(-7);
          wrong += !same(memory[number_of(memory_extents, cell)], expected);
        });
      }
      ASSERT_EQ(wrong, 0) << "of rank " << test::world().rank();
    }
    if (test::any_rank(HasFailure())) break;
  }
}

TEST(Reflect, OneDimensionAfterAnotherCarriesCornersAlong) {
  Random random = test::random(5);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    const int dims = static_cast<int>(pick(random, 2, 4));
    const Shape shape = some_shape(random, some_counts(random, dims), true);
    const auto full = [](const Shadow& shadow) { return shadow.full; };
    if (std::any_of(shape.shadows.begin(), shape.shadows.end(), full)) continue;
    Array once(host(), "once", sizeof(Element), shape.alignment, shape.shadows);
    Array turns(host(), "turns", sizeof(Element), shape.alignment, shape.shadows);
    const bool periodic = pick(random, 0, 1);
    for (Array* array : {&once, &turns}) {
      const long cells = array->holding().bytes() / static_cast<long>(sizeof(Element));
      auto* const memory = reinterpret_cast<Element*>(array->memory().data());
      for (long k = 0; k < cells; ++k) memory[k] = element(-7);
      fill(*array, shape, 0);
    }
    const ShadowWidth whole{-1, -1, periodic}, none{0, 0, periodic};
    Reflect({{&once, std::vector<ShadowWidth>(shape.extents.size(), whole), true}}).whole();
    for (std::size_t d = 0; d < shape.extents.size(); ++d) {
      std::vector<ShadowWidth> widths(shape.extents.size(), none);
      widths[d] = whole;
      Reflect({{&turns, widths, true}}).whole();
      host().stream().synchronize();
      barrier(test::world());
    }
    const long cells = once.holding().bytes() / static_cast<long>(sizeof(Element));
    const auto* const a = reinterpret_cast<const Element*>(once.memory().data());
    const auto* const b = reinterpret_cast<const Element*>(turns.memory().data());
    long wrong = 0;
    for (long k = 0; k < cells; ++k) wrong += !same(a[k], b[k]);
    EXPECT_EQ(wrong, 0) << "of rank " << test::world().rank();
    barrier(test::world());
    if (test::any_rank(HasFailure())) break;
  }
}

// The same in memory of the world's own device, a GPU's where it has one: of a plain line of blocks, all cells.
TEST(Reflect, FillsShadowsInTheMemoryOfADevice) {
  World& world = test::world();
  constexpr long kCount = 29, kWide = 3;
  std::vector<int> members(static_cast<std::size_t>(world.size()));
  std::iota(members.begin(), members.end(), 0);
  Template t({{0, kCount}});
  t.distribute(Nodes({world.size()}, members), {block()});
  const Alignment alignment({kCount}, t, {with(0)});
  for (const bool shared : {false, true}) {
    Array array(host(), "a", sizeof(double), alignment, {{kWide, kWide}});
    const long bytes = array.holding().bytes();
    array.on_device(shared ? std::make_shared<ArrayMemory>(test::device(), Ranks(world), bytes)
                           : std::make_shared<ArrayMemory>(test::device(), bytes));
    std::vector<double> cells(static_cast<std::size_t>(bytes) / sizeof(double), -7);
    const Holding::Axis& axis = array.holding().axis(0);
    for (long i = axis.least; i < axis.end; ++i)
      cells[static_cast<std::size_t>(i - axis.first)] = 100.0 + static_cast<double>(i);
    copy_to_device(test::device(), array.memory(Side::device).data(), cells.data(),
                   static_cast<std::size_t>(bytes));
    Reflect reflect({{&array, {{-1, -1, true}}}}, Side::device);
    reflect.whole();
    test::device().stream().synchronize();
    copy_to_host(test::device(), cells.data(), array.memory(Side::device).data(),
                 static_cast<std::size_t>(bytes));
    for (std::size_t k = 0; k < cells.size(); ++k)
      EXPECT_EQ(cells[k], 100.0 + static_cast<double>((axis.first + static_cast<long>(k) + kCount) % kCount))
          << k;
    barrier(world);
  }
}

// to[..] = from[..] between any two distributions, and memory of each rank's own.
TEST(Assign, BringsEachElementToItsPlace) {
  constexpr int kCases = 2000;
  Random random = test::random(2);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  Ranks world(test::world());
  for (int round = 0; round < kCases; ++round) {
    SCOPED_TRACE(round);
    const int counting = static_cast<int>(pick(random, 0, 3));
    std::vector<long> counts; // of the section
    for (int k = 0; k < counting; ++k) counts.push_back(pick(random, pick(random, 0, 9) ? 1 : 0, 6));
    // Extents and slices: the counting dimensions in order, single ones in between.
    const auto slices_for = [&](std::vector<long>& extents, bool scalar) {
      std::vector<Slice> slices;
      for (int k = 0; k <= counting; ++k) {
        if (slices.size() + static_cast<std::size_t>(counting - k) < 4 && pick(random, 0, 3) == 0) {
          extents.push_back(pick(random, 1, 5));
          slices.push_back({{pick(random, 0, extents.back() - 1), 1, 1}, true});
        }
        if (k == counting || scalar) continue;
        const long count = counts[static_cast<std::size_t>(k)], step = pick(random, 1, 3);
        const long reach = count > 0 ? (count - 1) * step + 1 : 0;
        extents.push_back(std::max(reach + pick(random, 0, 3), 1L));
        const long first = pick(random, 0, extents.back() - std::max(reach, 1L));
        Progression indices{first, count, step};
        if (count > 0 && pick(random, 0, 2) == 0) indices = reversed(indices);
        slices.push_back({indices, false});
      }
      if (slices.empty()) {
        extents.push_back(pick(random, 1, 5));
        slices.push_back({{pick(random, 0, extents.back() - 1), 1, 1}, true});
      }
      return slices;
    };
    const bool scalar = pick(random, 0, 9) == 0;
    std::vector<long> to_extents, from_extents;
    const auto to_slices = slices_for(to_extents, false), from_slices = slices_for(from_extents, scalar);
    const Shape to_shape = some_shape(random, to_extents, pick(random, 0, 1)),
                from_shape = some_shape(random, from_extents, pick(random, 0, 1));
    Array to(host(), "to", sizeof(Element), to_shape.alignment, to_shape.shadows);
    Array from(host(), "from", sizeof(Element), from_shape.alignment, from_shape.shadows);
    fill(from, from_shape, 5000);
    fill(to, to_shape, -9000);

    const int kind = static_cast<int>(pick(random, 0, 5)); // mostly from array to array
    std::vector<Element> mine, other;                      // memory of each rank's own
    each_index(to_extents, [&](const std::vector<long>& index) {
      mine.push_back(element(-9000 + number_of(to_extents, index)));
    });
    each_index(from_extents, [&](const std::vector<long>& index) {
      other.push_back(element(5000 + number_of(from_extents, index)));
    });
    std::vector<Element> expected = mine;
    // The assignment, element by element.
    each_index(counts, [&](const std::vector<long>& k) {
      const auto place = [&](const std::vector<Slice>& slices, const std::vector<long>& extents) {
        std::vector<long> index;
        std::size_t at = 0;
        for (const Slice& slice : slices)
          index.push_back(slice.single ? slice.indices.first : slice.indices[k[at++]]);
        return number_of(extents, index);
      };
      expected[static_cast<std::size_t>(place(to_slices, to_extents))] =
          other[static_cast<std::size_t>(place(from_slices, from_extents))];
    });
    const Section left = kind == 0 ? section(host(), mine.data(), sizeof(Element), to_extents, to_slices)
                                   : section(to, to_slices);
    const Section right = kind == 1
                              ? section(host(), other.data(), sizeof(Element), from_extents, from_slices)
                              : section(from, from_slices);
    const int way = static_cast<int>(pick(random, 0, 2)); // the far side takes part, or lends its memory
    if (way == 1 && kind != 1) {
      const Loan lent(world, "from", from.memory().data(),
                      static_cast<std::uint64_t>(from.holding().bytes()));
      fetch(left, right, lent, world);
    } else if (way == 2 && kind != 0) {
      const Loan lent(world, "to", to.memory().data(), static_cast<std::uint64_t>(to.holding().bytes()));
      store(left, lent, right, world);
    } else {
      assign(left, right, world);
    }
    long wrong = 0;
    each_index(to_extents, [&](const std::vector<long>& index) {
      const auto at = static_cast<std::size_t>(number_of(to_extents, index));
      if (kind == 0)
        wrong += !same(mine[at], expected[at]);
      else if (to.node() >= 0 && to_shape.alignment.holds(to.node(), index))
        wrong += !same(*to.at<Element>(index), expected[at]);
    });
    ASSERT_EQ(wrong, 0) << "of rank " << test::world().rank();
    if (test::any_rank(HasFailure())) break;
  }
}

TEST(Assign, WithinAnArrayReadsWhatWasThere) {
  const int ranks = test::world().size();
  std::vector<int> members(static_cast<std::size_t>(ranks));
  std::iota(members.begin(), members.end(), 0);
  for (const Format& format : {block(), cyclic(), cyclic(2)}) {
    Template t({{0, 20}});
    t.distribute(Nodes({ranks}, members), {format});
    const Shape shape{{20}, Alignment({20}, t, {with(0)}), {{}}};
    Array a(host(), "a", sizeof(Element), shape.alignment, shape.shadows);
    fill(a, shape, 0);
    assign(section(a, {{{1, 19, 1}}}), section(a, {{{0, 19, 1}}}), test::world());
    for (long i = 0; i < 20; ++i)
      if (shape.alignment.holds(a.node(), {i})) {
        EXPECT_TRUE(same(*a.at<Element>({i}), element(i == 0 ? 0 : i - 1)));
      }
  }
}

// Set up once, with shared memory and without, and into itself: each time with what is there then.
TEST(Assign, IsDoneAsOftenAsOneLikes) {
  constexpr long kCount = 23;
  const int ranks = test::world().size();
  std::vector<int> members(static_cast<std::size_t>(ranks));
  std::iota(members.begin(), members.end(), 0);
  const auto shape_of = [&](const Format& format, const Shadow& shadow) {
    Template t({{0, kCount}});
    t.distribute(Nodes({ranks}, members), {format});
    return Shape{{kCount}, Alignment({kCount}, t, {with(0)}), {shadow}};
  };
  const Shape source = shape_of(cyclic(), {});
  for (const Shadow& shadow : {Shadow{}, Shadow{1, 1}}) {
    const Shape target = shape_of(block(), shadow);
    Array from(host(), "from", sizeof(Element), source.alignment, source.shadows);
    Array to(host(), "to", sizeof(Element), target.alignment, target.shadows);
    EXPECT_EQ(to.memory().shared(), !shadow.none());
    Redistribution moves(section(to, {{{0, kCount, 1}}}), section(from, {{{0, kCount, 1}}}), test::world());
    Redistribution shift(section(from, {{{1, kCount - 1, 1}}}), section(from, {{{0, kCount - 1, 1}}}),
                         test::world());
    fill(from, source, 700);
    for (long turn = 0; turn < 4; ++turn) {
      moves.whole();
      for (long i = 0; i < kCount; ++i)
        if (target.alignment.holds(to.node(), {i})) {
          EXPECT_TRUE(same(*to.at<Element>({i}), element(700 + std::max(0L, i - turn)))) << i;
        }
      shift.whole();
    }
    barrier(test::world());
  }
}

TEST(Assign, RefusesWhatDoesNotConform) {
  std::vector<int> mine(6);
  const auto part = [&](long count) { return section(host(), mine.data(), 4, {6}, {{{0, count, 1}}}); };
  EXPECT_EQ(test::refusal([&] { assign(part(3), part(2), test::world()); }),
            "a section [2] is assigned to one [3]; give both sides one shape");
  EXPECT_EQ(test::refusal([&] { assign(part(7), part(7), test::world()); }),
            "subscript 6 is outside of dimension 0, 0 to 5; name elements that the array has");
}

} // namespace
} // namespace tasuki
