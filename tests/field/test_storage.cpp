// Where the numbers of cells lie: each in a place of its own, inside of the memory, rows of one component together.
#include <tasuki/field/storage.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace tasuki {
namespace {

using test::pick;
using test::Random;

template <class Visit>
void each_cell(const Box& box, const Visit& visit) {
  if (box.empty()) return;
  for (Index x = box.lo;;) {
    visit(x);
    int a = 0;
    while (a < box.dims && ++x[a] == box.hi[a]) {
      x[a] = box.lo[a];
      ++a;
    }
    if (a == box.dims) return;
  }
}

struct Case {
  Layout layout;
  Storage storage;
  Box all; // owned cells and halo, from the first owned cell
};

Case some_case(Random& random) {
  Case c;
  const int dims = static_cast<int>(pick(random, 1, 4));
  Index extents{};
  Widths halo{};
  for (int a = 0; a < dims; ++a) {
    extents[a] = pick(random, 1, dims < 3 ? 40 : 6);
    halo[a] = {static_cast<int>(pick(random, 0, 2)), static_cast<int>(pick(random, 0, 2))};
  }
  c.layout = layout_of(dims, extents, halo, pick(random, 0, 1) ? Padding::gpu : Padding::cpu);
  constexpr int kComponents[] = {1, 2, 3, 16, 17, 24}; // planes each, and rows
  c.storage = {pick(random, 0, 1) ? 8 : 4, kComponents[pick(random, 0, 5)]};
  c.all = grow(box_of(dims, extents), halo);
  return c;
}

TEST(Storage, HasAPlaceForEveryNumber) {
  Random random = test::random(41);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (int round = 0; round < 100; ++round) {
    const auto [layout, storage, all] = some_case(random);
    const long room = static_cast<long>(storage.bytes(layout)) / storage.element_bytes;
    std::vector<char> taken(static_cast<std::size_t>(room));
    for (int component = 0; component < storage.components; ++component)
      each_cell(all, [&, &layout = layout, &storage = storage](const Index& x) {
        const long at = storage.lead(layout) + storage.place(layout, x, component);
        ASSERT_GE(at, 0);
        ASSERT_LT(at, room);
        ASSERT_FALSE(taken[static_cast<std::size_t>(at)]++) << "component " << component;
      });
  }
}

TEST(Storage, CountsFromACellToTheNext) {
  Random random = test::random(42);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (int round = 0; round < 100; ++round) {
    const auto [layout, storage, all] = some_case(random);
    const Index origin{};
    EXPECT_EQ(storage.place(layout, origin, 0), 0);
    for (int a = 0; a < layout.dims; ++a) {
      Index next{};
      next[a] = 1;
      EXPECT_EQ(storage.stride(layout, a), storage.place(layout, next, 0));
    }
    if (storage.components > 1) {
      EXPECT_EQ(storage.component_stride(layout), storage.place(layout, origin, 1));
    }
    EXPECT_EQ(storage.stride(layout, 0), 1);
  }
  const Layout layout = layout_of(2, {64, 8}, {});
  EXPECT_EQ((Storage{4, 16}).component_stride(layout), layout.plane);     // a plane each
  EXPECT_EQ((Storage{4, 17}).component_stride(layout), layout.stride[1]); // row by row
  EXPECT_EQ((Storage{4, 17}).stride(layout, 1), 17 * layout.stride[1]);
}

TEST(Storage, SaysWhereTheBytesOfABoxAre) {
  Random random = test::random(43);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (int round = 0; round < 100; ++round) {
    const auto [layout, storage, all] = some_case(random);
    Box box = all;
    for (int a = 0; a < box.dims; ++a) {
      box.lo[a] = pick(random, all.lo[a], all.hi[a] - 1);
      box.hi[a] = pick(random, box.lo[a] + 1, all.hi[a]);
    }
    const int component = static_cast<int>(pick(random, 0, storage.components - 1));
    std::vector<char> memory(storage.bytes(layout));
    char* origin = memory.data() + storage.lead(layout) * storage.element_bytes;
    const Strided s = storage.strided(origin, layout, box, component);
    EXPECT_EQ(s.bytes(), box.cells() * storage.element_bytes);
    std::vector<long> places, expected;
    const auto walk = [&, &storage = storage](const auto& self, int level, long at) -> void {
      if (level < 0) {
        for (long k = 0; k < s.run; k += storage.element_bytes) places.push_back(at + k);
        return;
      }
      for (long k = 0; k < s.count[level]; ++k) self(self, level - 1, at + k * s.stride[level]);
    };
    walk(walk, s.levels - 1, s.base - origin);
    each_cell(box, [&, &layout = layout, &storage = storage](const Index& x) {
      expected.push_back(storage.place(layout, x, component) * storage.element_bytes);
    });
    EXPECT_EQ(places, expected); // in the order of the cells, x first
  }
}

} // namespace
} // namespace tasuki
