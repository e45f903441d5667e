// The rules of plans against cells: each rank's copy of each cell carries the number of the sweep that wrote it. A sweep has to read
// the number that the cell's owner has, wherever it runs; no rank but this one is asked for, and none exists.
#include <tasuki/program/rules.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <map>

namespace tasuki {
namespace {

using test::pick;
using test::Random;

constexpr int kDims = 2;
using Point = std::array<long, kDims>;

void each_cell(const Box& box, const std::function<void(const Point&)>& visit) {
  for (long y = box.lo[1]; y < box.hi[1]; ++y)
    for (long x = box.lo[0]; x < box.hi[0]; ++x) visit({x, y});
}

// The offsets of a read, off the cell along at most `order` axes.
std::vector<Point> offsets_of(const Depth& reach) {
  std::vector<Point> list;
  for (long y = -reach.width[1].lo; y <= reach.width[1].hi; ++y)
    for (long x = -reach.width[0].lo; x <= reach.width[0].hi; ++x)
      if ((x != 0) + (y != 0) <= reach.order) list.push_back({x, y});
  return list;
}

// A grid of several ranks, and what each of them has of two fields.
struct Copies {
  Decomposition cut;
  Widths halo;
  std::vector<std::map<Point, int>> copies[2]; // by rank: local cells and halo, by the sweep that wrote them
  std::map<Point, int> truth[2];               // by global cell
  std::vector<std::vector<Validity>> state;    // by rank

  Copies(const Decomposition& made, const Widths& asked) : cut(made), halo(halo_of(made, asked)) {
    const Box all = box_of(kDims, cut.extents);
    for (int f = 0; f < 2; ++f) {
      copies[f].resize(static_cast<std::size_t>(cut.size()));
      each_cell(all, [&](const Point& c) { truth[f][c] = 0; });
      for (int r = 0; r < cut.size(); ++r) each_cell(owned(r), [&](const Point& c) { copy(f, r)[c] = 0; });
    }
    state.assign(static_cast<std::size_t>(cut.size()), {Validity(all), Validity(all)});
  }

  std::map<Point, int>& copy(int field, int rank) { return copies[field][static_cast<std::size_t>(rank)]; }
  Box owned(int rank) const { // in local cells
    const Box block = cut.block(rank);
    return box_of(kDims, {block.extent(0), block.extent(1)});
  }
  // The global cell of a local one; false beyond the edge of the grid.
  bool global(int rank, const Point& local, Point& to) const {
    for (int a = 0; a < kDims; ++a) {
      to[static_cast<std::size_t>(a)] = cut.block(rank).lo[a] + local[static_cast<std::size_t>(a)];
      long& at = to[static_cast<std::size_t>(a)];
      if (cut.periodic[a]) at = (at + cut.extents[a]) % cut.extents[a];
      if (at < 0 || at >= cut.extents[a]) return false;
    }
    return true;
  }
  // The axes along which a local cell is off the block.
  std::array<bool, kDims> off(int rank, const Point& c) const {
    const Box mine = owned(rank);
    return {c[0] < 0 || c[0] >= mine.hi[0], c[1] < 0 || c[1] >= mine.hi[1]};
  }
  void exchange(int rank, const Need& need) {
    each_cell(grow(owned(rank), need.depth.width), [&](const Point& c) {
      const auto beyond = off(rank, c);
      Point from;
      if ((beyond[0] || beyond[1]) && beyond[0] + beyond[1] <= need.depth.order && global(rank, c, from))
        copy(need.field, rank)[c] = truth[need.field][from];
    });
  }
};

// Held to be so of the plan of one rank, before the sweep is done.
void check(Copies& ranks, int rank, const PlannedGrid& grid, const PlannedUses& sweep,
           const SweepPlan& plan) {
  std::map<Point, int> times;
  for (const Box& box : plan.boxes) each_cell(box, [&](const Point& c) { ++times[c]; });
  each_cell(ranks.owned(rank), [&](const Point& c) {
    Point to;
    ASSERT_TRUE(ranks.global(rank, c, to));
    const bool in = to[0] >= sweep.region.lo[0] && to[0] < sweep.region.hi[0] &&
                    to[1] >= sweep.region.lo[1] && to[1] < sweep.region.hi[1];
    ASSERT_EQ(times.count(c), in ? 1u : 0u) << "cell " << c[0] << " " << c[1];
  });
  for (const auto& [c, count] : times) {
    ASSERT_EQ(count, 1) << "cell " << c[0] << " " << c[1] << " is swept " << count << " times";
    for (const Use& use : sweep.uses) {
      if (!use.reads()) continue;
      for (const Point& by : offsets_of(use.reach)) {
        const Point at{c[0] + by[0], c[1] + by[1]};
        Point from;
        ASSERT_TRUE(ranks.global(rank, at, from));
        const auto has = ranks.copy(use.field, rank).find(at);
        ASSERT_TRUE(has != ranks.copy(use.field, rank).end())
            << "cell " << at[0] << " " << at[1] << " of rank " << rank << " was never sent";
        ASSERT_EQ(has->second, ranks.truth[use.field][from])
            << "cell " << at[0] << " " << at[1] << " is stale";
      }
    }
  }
  if (plan.needs.empty()) return;
  std::map<Point, int> parts;
  for (const Box& box : plan.interior) each_cell(box, [&](const Point& c) { ++parts[c]; });
  for (const Box& box : plan.rim) each_cell(box, [&](const Point& c) { ++parts[c]; });
  ASSERT_EQ(parts, times) << "interior and rim are not the whole";
  const auto in_transit = [&](int axis) { return !grid.wraps_first || ranks.cut.ranks[axis] > 1; };
  for (const Box& box : plan.interior)
    each_cell(box, [&](const Point& c) {
      for (const Use& use : sweep.uses)
        for (const Need& need : plan.needs) {
          if (use.field != need.field) continue;
          for (const Point& by : offsets_of(use.reach)) {
            const auto beyond = ranks.off(rank, {c[0] + by[0], c[1] + by[1]});
            for (int a = 0; a < kDims; ++a)
              ASSERT_FALSE(beyond[static_cast<std::size_t>(a)] && in_transit(a))
                  << "it reads what is under way";
          }
          if (use.kind != Access::Kind::update) continue;
          for (int a = 0; a < kDims; ++a) {
            const long at = c[static_cast<std::size_t>(a)], end = ranks.owned(rank).hi[a];
            if (!in_transit(a) || !ranks.cut.exchanges(a)) continue;
            ASSERT_GE(at, need.depth.width[a].hi) << "it changes what is being sent";
            ASSERT_LT(at, end - need.depth.width[a].lo) << "it changes what is being sent";
          }
        }
    });
}

void step(Copies& ranks, const PlannedUses& sweep, bool wraps_first, int number) {
  std::vector<SweepPlan> plans;
  std::vector<PlannedGrid> grids;
  for (int r = 0; r < ranks.cut.size(); ++r) {
    grids.push_back({.cut = &ranks.cut, .halo = ranks.halo, .rank = r, .wraps_first = wraps_first});
    plans.push_back(plan_sweep(grids.back(), sweep, ranks.state[static_cast<std::size_t>(r)]));
    ASSERT_EQ(plans.back().needs.size(), plans.front().needs.size()) << "ranks exchange differently";
    ASSERT_EQ(ranks.state[static_cast<std::size_t>(r)], ranks.state.front()) << "ranks know differently";
    for (const Need& need : plans.back().needs) ranks.exchange(r, need);
  }
  for (int r = 0; r < ranks.cut.size(); ++r) {
    const auto k = static_cast<std::size_t>(r);
    ASSERT_NO_FATAL_FAILURE(check(ranks, r, grids[k], sweep, plans[k])) << "rank " << r;
  }
  for (const Use& use : sweep.uses) {
    if (!use.writes()) continue;
    for (int r = 0; r < ranks.cut.size(); ++r)
      for (const Box& box : plans[static_cast<std::size_t>(r)].boxes)
        each_cell(box, [&](const Point& c) { ranks.copy(use.field, r)[c] = number; });
    each_cell(sweep.region, [&](const Point& c) { ranks.truth[use.field][c] = number; });
  }
}

TEST(Rules, NoSweepReadsWhatIsStale) {
  Random random = test::random(83);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  long needed = 0, extended = 0;
  for (int round = 0; round < 60; ++round) {
    DecompositionRequest request;
    request.dims = kDims;
    request.extents = {pick(random, 13, 18), pick(random, 13, 18)};
    request.size = static_cast<int>(pick(random, 1, 4));
    for (int a = 0; a < kDims; ++a) {
      request.periodic[static_cast<std::size_t>(a)] = pick(random, 0, 1) == 1;
      request.wraps[static_cast<std::size_t>(a)] = false;
      request.halo[static_cast<std::size_t>(a)] =
          Width(static_cast<int>(pick(random, 1, 3)), static_cast<int>(pick(random, 1, 3)));
    }
    const Decomposition cut = decompose(request, exchange_cost_host());
    Copies ranks(cut, request.halo);
    const bool wraps_first = pick(random, 0, 1) == 1;
    for (int number = 1; number <= 12; ++number) {
      const int from = static_cast<int>(pick(random, 0, 1));
      Use read{Access::Kind::read, from, {}};
      read.reach.order = static_cast<int>(pick(random, 0, kDims));
      if (read.reach.order > 0)
        for (int a = 0; a < kDims; ++a) {
          const Width& halo = request.halo[static_cast<std::size_t>(a)];
          read.reach.width[static_cast<std::size_t>(a)] =
              Width(static_cast<int>(pick(random, 0, halo.lo)), static_cast<int>(pick(random, 0, halo.hi)));
        }
      PlannedUses sweep;
      sweep.region = box_of(kDims, cut.extents);
      for (int a = 0; a < kDims; ++a) { // at the edge of the grid there is nothing to be read
        const Width& reach = read.reach.width[static_cast<std::size_t>(a)];
        const long inside = cut.periodic[static_cast<std::size_t>(a)] ? 0 : 1;
        sweep.region.lo[static_cast<std::size_t>(a)] += inside * reach.lo + pick(random, 0, 1);
        sweep.region.hi[static_cast<std::size_t>(a)] -= inside * reach.hi + pick(random, 0, 1);
      }
      const bool updates = pick(random, 0, 2) == 0; // what it writes, it has read
      sweep.uses = {read, {updates ? Access::Kind::update : Access::Kind::write, 1 - from, {}}};
      std::vector<Validity> before = ranks.state.front();
      const SweepPlan plan = plan_sweep({.cut = &ranks.cut, .halo = ranks.halo}, sweep, before);
      needed += !plan.needs.empty();
      extended += plan.extension != Widths{};
      ASSERT_NO_FATAL_FAILURE(step(ranks, sweep, wraps_first, number))
          << "round " << round << ", sweep " << number;
    }
  }
  EXPECT_GT(needed, 20); // so the above was about something
  EXPECT_GT(extended, 20);
}

// What ranks see of memory that all address is synchronised where it is stale, and before it is written while it may be read.
TEST(Rules, SynchronisesWhatIsReadAnywhere) {
  DecompositionRequest request;
  request.dims = 1;
  request.extents = {64};
  request.size = 4;
  const Decomposition cut = decompose(request, exchange_cost_host());
  const PlannedGrid grid{.cut = &cut};
  const Box all = box_of(1, cut.extents);
  std::vector<Validity> state{Validity(all), Validity(all)};
  const PlannedUses look{all, {{Access::Kind::anywhere, 0, {}}, {Access::Kind::write, 1, {}}}};
  const PlannedUses put{all, {{Access::Kind::write, 0, {}}}};
  EXPECT_EQ(plan_sweep(grid, look, state).syncs, std::vector<int>{0}); // never synchronised
  EXPECT_EQ(plan_sweep(grid, look, state).syncs, std::vector<int>{});  // and not written since
  EXPECT_EQ(plan_sweep(grid, put, state).syncs, std::vector<int>{0});  // another rank may be reading
  EXPECT_EQ(plan_sweep(grid, put, state).syncs, std::vector<int>{});
  EXPECT_EQ(plan_sweep(grid, look, state).syncs, std::vector<int>{0});
}

TEST(Rules, FireInTheirStepsOrInAllOthers) {
  for (long number = 1; number <= 12; ++number) {
    EXPECT_EQ(fires(number, 3, false), number == 3 || number == 6 || number == 9 || number == 12);
    EXPECT_NE(fires(number, 3, true), fires(number, 3, false));
  }
}

} // namespace
} // namespace tasuki
