// Sweeps over slabs, each behind those before it, against the same sweeps over the whole, one after another.
#include <tasuki/run/skew.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

namespace tasuki {
namespace {

using Values = std::vector<std::uint64_t>; // of the planes of a memory
using Planes = std::vector<std::optional<std::uint64_t>>;

struct DrawnPass {
  int memories = 0;
  std::vector<PlaneUses> sweeps;
  long lo = 0, hi = 0, margin = 0; // planes at both ends that no sweep does
};

// What a sweep leaves in a plane: something of all that it reads, and of itself.
template <class Memories>
void sweep_plane(std::size_t number, const PlaneUses& uses, long plane, Memories& memories) {
  std::uint64_t sum = 1 + number;
  for (const PlaneUse& use : uses)
    if (use.reads)
      for (long at = plane - use.reach.lo; at <= plane + use.reach.hi; ++at)
        sum = (sum ^ *memories[static_cast<std::size_t>(use.memory)](at)) * 1099511628211u;
  for (const PlaneUse& use : uses)
    if (use.writes)
      *memories[static_cast<std::size_t>(use.memory)](plane) = sum + static_cast<unsigned>(use.memory);
}

DrawnPass random_pass(test::Random& random) {
  DrawnPass pass{static_cast<int>(test::pick(random, 2, 4)), {}, -test::pick(random, 0, 3), 0, 0};
  pass.hi = pass.lo + test::pick(random, 5, 30);
  const long count = test::pick(random, 1, 7);
  for (long k = 0; k < count; ++k) {
    PlaneUses uses;
    for (int memory = 0; memory < pass.memories; ++memory) {
      const long kind = test::pick(random, 0, 3); // not at all, read, written, both at the plane itself
      if (kind == 0) continue;
      const Width reach = kind == 1 ? Width(static_cast<int>(test::pick(random, 0, 2)),
                                            static_cast<int>(test::pick(random, 0, 2)))
                                    : Width();
      uses.push_back({memory, reach, kind != 2, kind >= 2});
      pass.margin = std::max<long>({pass.margin, reach.lo, reach.hi});
    }
    if (!uses.empty()) pass.sweeps.push_back(uses);
  }
  return pass;
}

std::vector<Values> values_of(const DrawnPass& pass) {
  std::vector<Values> all;
  for (int memory = 0; memory < pass.memories; ++memory) {
    Values values;
    for (long plane = pass.lo; plane < pass.hi; ++plane)
      values.push_back(static_cast<std::uint64_t>(plane * 31 + memory * 1009));
    all.push_back(values);
  }
  return all;
}

void sweep_whole(const DrawnPass& pass, std::vector<Values>& values) {
  std::vector<std::function<std::uint64_t*(long)>> memories;
  for (Values& memory : values)
    memories.emplace_back([&](long plane) { return &memory.at(static_cast<std::size_t>(plane - pass.lo)); });
  for (std::size_t k = 0; k < pass.sweeps.size(); ++k)
    for (long plane = pass.lo + pass.margin; plane < pass.hi - pass.margin; ++plane)
      sweep_plane(k, pass.sweeps[k], plane, memories);
}

// A window that has the planes it was given, and no other.
void sweep_slabs(const DrawnPass& pass, long height, std::vector<Values>& values) {
  Skew skew;
  for (const PlaneUses& sweep : pass.sweeps) skew.add(sweep);
  const auto all = static_cast<std::size_t>(pass.hi - pass.lo);
  std::vector<Planes> windows(values.size(), Planes(all)), before;
  std::vector<int> brought(all), taken(all);
  const auto at = [&](long plane) { return static_cast<std::size_t>(plane - pass.lo); };
  std::vector<std::function<std::uint64_t*(long)>> memories;
  for (Planes& window : windows)
    memories.emplace_back([&](long plane) {
      std::optional<std::uint64_t>& value = window.at(at(plane));
      if (!value) throw Error("plane " + std::to_string(plane) + " is not in the window", "bring it");
      return &*value;
    });
  for (const Slab& slab : slabs_of(pass.lo, pass.hi, height, skew)) {
    EXPECT_LE(slab.last - slab.first, height);
    EXPECT_LE(slab.top - slab.bottom, height + skew.below() + skew.above());
    before = windows;
    for (std::size_t m = 0; m < windows.size(); ++m) {
      std::fill(windows[m].begin(), windows[m].end(), std::nullopt);
      for (long plane = slab.bottom; plane < slab.kept; ++plane) {
        ASSERT_TRUE(before[m][at(plane)]) << "plane " << plane << " was to be kept";
        windows[m][at(plane)] = before[m][at(plane)];
      }
      for (long plane = slab.kept; plane < slab.top; ++plane) {
        windows[m][at(plane)] = values[m][at(plane)];
        brought[at(plane)] += m == 0;
      }
    }
    for (std::size_t k = 0; k < pass.sweeps.size(); ++k)
      for (long plane = std::max(slab.first - skew.lag(k), pass.lo + pass.margin);
           plane < std::min(slab.last - skew.lag(k), pass.hi - pass.margin); ++plane)
        sweep_plane(k, pass.sweeps[k], plane, memories);
    for (long plane = slab.done; plane < slab.done_to; ++plane) {
      for (std::size_t m = 0; m < windows.size(); ++m) values[m][at(plane)] = *windows[m][at(plane)];
      ++taken[at(plane)];
    }
  }
  EXPECT_EQ(brought, std::vector<int>(all, 1)) << "planes come once";
  EXPECT_EQ(taken, std::vector<int>(all, 1)) << "and go once";
}

TEST(Skew, OfRandomSweepsLeavesWhatTheWholeLeaves) {
  test::Random random = test::random(16);
  for (int round = 0; round < 300 && !testing::Test::HasFailure(); ++round) {
    const DrawnPass pass = random_pass(random);
    std::vector<Values> whole = values_of(pass), slabs = whole;
    sweep_whole(pass, whole);
    const long height = test::pick(random, 1, 12);
    sweep_slabs(pass, height, slabs);
    EXPECT_EQ(slabs, whole) << "round " << round << ", slabs of " << height
                            << "; TASUKI_TEST_SEED=" << test::seed();
  }
}

TEST(Skew, LagsByTheReachOfEachStep) {
  Skew skew;
  for (int step = 0; step < 4; ++step) {
    const int from = step % 2, to = 1 - from;
    skew.add({{from, {1, 1}, true, false}, {to, {}, false, true}});
  }
  EXPECT_EQ(skew.lag(3), 3);
  EXPECT_EQ(skew.most_lag(), 3);
  EXPECT_EQ(skew.below(), 4);
  EXPECT_EQ(skew.above(), 1);
}

TEST(Skew, LeavesSweepsSideBySideThatShareNothing) {
  Skew skew;
  skew.add({{0, {1, 1}, true, false}, {1, {}, false, true}});
  skew.add({{0, {2, 2}, true, false}, {2, {}, false, true}});
  EXPECT_EQ(skew.most_lag(), 0);
  EXPECT_EQ(skew.below(), 2);
}

} // namespace
} // namespace tasuki
