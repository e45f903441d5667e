// Windows on fields in host memory, slab by slab and without sweeps: the host writes cells in their place,
// finds in every window what was written last, and has all of it in the fields behind the last slab.
#include <tasuki/field/room.hpp>
#include <tasuki/program/plan.hpp>
#include <tasuki/run/windows.hpp>
#include <tests/bare_sweep.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace tasuki {
namespace {

using test::bare_sweep;
using test::pick;
using test::Random;

// The numbers of the memories, halos included, by the memories' numbers.
using Kept = std::map<int, std::vector<float>>;

// All numbers of some fields, and which memory each has: windows are memories of other numbers, so it is
// known by the field that had it before, and by the swaps since.
class Shelf {
public:
  explicit Shelf(const Pass::Fields& fields) : fields_(fields) {
    const Layout& layout = fields_.front()->grid().layout();
    all_ = grow(box_of(2, layout.extents), layout.halo);
    for (const auto& field : fields_) memory_[field.get()] = field->memory_id();
  }
  const Box& all() const { return all_; }
  int memory_of(const FieldCore& field) const { return memory_.at(&field); }
  void swap(const Swap& swap) {
    swap.a->swap(*swap.b);
    std::swap(memory_[swap.a.get()], memory_[swap.b.get()]);
  }

  // visit(number, its place among those of its memory), of a field's cells.
  template <class Visit>
  void each(const FieldCore& field, const Box& cells, const Visit& visit) const {
    const Layout& layout = field.grid().layout();
    const long row = all_.extent(0), component = row * all_.extent(1);
    for (int k = 0; k < field.components(); ++k)
      for (long y = cells.lo[1]; y < cells.hi[1]; ++y)
        for (long x = cells.lo[0]; x < cells.hi[0]; ++x) {
          const Box cell{.dims = 2, .lo = {x, y}, .hi = {x + 1, y + 1}};
          char* const first = field.strided(field.origin(), layout, cell, 0).base;
          visit(*(reinterpret_cast<float*>(first) + k * field.component_stride(layout)),
                static_cast<std::size_t>(k * component + (y - all_.lo[1]) * row + x - all_.lo[0]));
        }
  }
  std::size_t size(const FieldCore& field) const {
    return static_cast<std::size_t>(all_.cells() * field.components());
  }
  // The numbers of planes lo to hi that are not those of `truth`; without those of `but` where that is not 0.
  long wrong(const FieldCore& field, long lo, long hi, const Kept& truth,
             const std::vector<char>& but) const {
    Box cells = all_;
    cells.lo[1] = std::max(lo, all_.lo[1]);
    cells.hi[1] = std::min(hi, all_.hi[1]);
    long count = 0;
    const std::vector<float>& due = truth.at(memory_of(field));
    each(field, cells,
         [&](float number, std::size_t at) { count += (but.empty() || !but[at]) && number != due[at]; });
    return count;
  }

private:
  const Pass::Fields& fields_;
  std::map<const FieldCore*, int> memory_;
  Box all_;
};

PlannedSweep planned(const Sweep& sweep, const Widths& beyond) {
  PlannedSweep made;
  made.sweep = sweep;
  made.boxes = sweep->grid().local_parts(sweep->region(), beyond);
  return made;
}

// All slabs of a pass. `truth`: what the fields hold before, and behind it.
void expect_passed(Windows& windows, const Pass::Fields& fields, const Pass& pass, long height, Kept& truth,
                   float& next) {
  Shelf shelf(fields);
  // Cells that come to no window, since a sweep writes them before any reads them.
  std::map<int, std::vector<char>> fresh;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    std::vector<char>& marks = fresh[pass.memories()[f].id];
    marks.resize(shelf.size(*fields[f]));
    for (const Box& box : pass.memories()[f].fresh)
      shelf.each(*fields[f], box, [&](float, std::size_t at) { marks[at] = 1; });
  }
  const std::vector<Slab> slabs = slabs_of(pass.lo(), pass.hi(), height, pass.skew());
  windows.open(pass, slabs);
  for (const Slab& slab : slabs) {
    windows.enter(slab);
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const Pass::Planes& used = pass.memories()[f].used;
      const long lo = std::max(slab.bottom, used.lo), hi = std::min(slab.top, used.hi);
      EXPECT_EQ(shelf.wrong(*fields[f], lo, hi, truth, fresh.at(pass.memories()[f].id)), 0)
          << "numbers of " << fields[f]->name() << " in planes " << lo << " to " << hi;
    }
    std::vector<const Swap*> swaps;
    for (const Pass::Op& op : pass.ops()) {
      if (op.swap) {
        shelf.swap(*op.swap);
        swaps.push_back(op.swap);
        continue;
      }
      const long lag = pass.skew().lag(op.number);
      for (Box box : op.sweep->boxes) {
        box.lo[1] = std::max(box.lo[1], slab.first - lag);
        box.hi[1] = std::min(box.hi[1], slab.last - lag);
        for (const Access& access : op.sweep->sweep->accesses()) {
          if (access.kind == Access::Kind::read) continue;
          const int memory = shelf.memory_of(*access.field);
          shelf.each(*access.field, box, [&](float& number, std::size_t at) {
            number = truth.at(memory)[at] = next++;
            fresh.at(memory)[at] = 0;
          });
        }
      }
    }
    for (auto swap = swaps.rbegin(); swap != swaps.rend(); ++swap) shelf.swap(**swap);
    windows.leave(slab);
  }
  windows.close();
}

std::unique_ptr<World> world_with_memory(unsigned long bytes) {
  return test::world_with([&](Settings& s) {
    s.device = "host";
    s.executor = "streamed";
    s.device_memory = bytes;
    s.halo = 0;
    s.ranks.clear();
  });
}

TEST(Windows, HaveWhatWasWrittenLastAndTakeItHome) {
  Random random = test::random(73);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (int round = 0; round < 10; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const auto made = world_with_memory(1 << 20);
    const int halo = static_cast<int>(pick(random, 1, 2));
    const Grid<2> grid(*made, {pick(random, 17, 30), pick(random, 24, 50)}, {.halo = halo});
    const Field<float> u(grid, "u"), v(grid, "v");
    const Field<float[3]> planes(grid, "planes");
    const Field<float[18]> rows(grid, "rows");
    const auto region = [&] { return pick(random, 0, 1) ? grid.all() : grid.inner(halo); };
    const Sweep flow =
        bare_sweep("flow", grid.inner(halo), reads(u, star(halo)), reads(planes, box(1)), writes(v));
    const Sweep stir = bare_sweep("stir", region(), reads(v), updates(planes), writes(rows));
    const Sweep back = bare_sweep("back", grid.inner(halo), reads(rows, star({0, {0, 1}})), updates(u));
    const Program program(items(flow) + items(stir) + items(back) + items(swap(u, v)));
    Planner& planner = program.planner();
    const Swap change{u.core(), v.core()};
    Widths beyond{}; // a sweep may run in the halo too, where that is valid
    for (Width& width : beyond) width = Width(static_cast<int>(pick(random, 0, halo - 1)));
    const PlannedSweep sweeps[] = {planned(flow, beyond), planned(stir, beyond), planned(back, {})};

    Windows windows(grid.core()->device(), planner.fields());
    const Shelf shelf(planner.fields());
    Kept truth;
    float next = 1;
    for (const auto& field : planner.fields()) {
      std::vector<float>& due = truth[field->memory_id()];
      due.resize(shelf.size(*field));
      shelf.each(*field, shelf.all(), [&](float& number, std::size_t at) { number = due[at] = next++; });
    }
    for (int passes = 0; passes < 3; ++passes) {
      Pass pass(planner.fields());
      for (long n = pick(random, 1, 5); n > 0; --n) {
        const long what = pick(random, 0, 3);
        if (what == 3)
          pass.add(change);
        else
          pass.add(sweeps[what]);
      }
      if (!pass.has_sweeps()) continue;
      const long height = std::min(pick(random, 1, 20), windows.height(pass));
      ASSERT_GE(height, 1);
      expect_passed(windows, planner.fields(), pass, height, truth, next);
      for (const auto& field : planner.fields())
        EXPECT_EQ(shelf.wrong(*field, -halo, shelf.all().hi[1], truth, {}), 0)
            << "numbers of " << field->name() << ", behind the last slab";
    }
    if (test::any_rank(::testing::Test::HasFailure())) return;
  }
}

// Slabs of this height fit into what --device-memory leaves, and slabs of one plane more do not.
TEST(Windows, AreAsHighAsTheDeviceHasRoomFor) {
  Random random = test::random(74);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  int cut = 0;
  for (int round = 0; round < 15; ++round) {
    const auto bytes = static_cast<unsigned long>(pick(random, 6000, 40000)) * 2 + 1; // of no whole window
    SCOPED_TRACE("--device-memory " + std::to_string(bytes));
    const auto made = world_with_memory(bytes);
    GridOptions options{.halo = 1};
    options.ranks = std::array<int, kMaxDims>{1, made->size()}; // as many planes for each rank
    const Grid<2> grid(*made, {pick(random, 17, 40), 90L * made->size()}, options);
    const Field<float> u(grid, "u"), v(grid, "v");
    const Sweep flow = bare_sweep("flow", grid.inner(1), reads(u, star(1)), writes(v));
    const Program program(items(flow) + items(swap(u, v)));
    Device& device = grid.core()->device();
    const Room& room = device.part<Room>();
    ASSERT_EQ(room.free(), bytes) << "the fields lie in memory of the host";
    const PlannedSweep one = planned(flow, {});
    const Swap change{u.core(), v.core()};
    Pass pass(program.planner().fields());
    for (long n = pick(random, 1, 3); n > 0; --n) {
      pass.add(one);
      pass.add(change);
    }
    const long height = Windows(device, program.planner().fields()).height(pass);
    const auto left = [&](long planes) { // when slabs of so many planes have their windows
      Windows windows(device, program.planner().fields());
      std::vector<Slab> slabs(3);
      for (Slab& slab : slabs) slab.top = planes + pass.skew().below() + pass.skew().above();
      windows.open(pass, slabs);
      windows.close();
      return room.free();
    };
    const long whole = pass.hi() - pass.lo() + pass.skew().most_lag();
    EXPECT_LE(height, whole);
    const long most =
        pass.hi() - pass.lo() - pass.skew().below() - pass.skew().above(); // beyond it no window grows
    const std::size_t with = left(std::min(std::max(1L, height), most)),
                      with_more = left(std::max(0L, height) + 1);
    if (height >= 1) {
      EXPECT_GT(with, 0u);
    }
    if (height < whole) {
      EXPECT_EQ(with_more, 0u);
    }
    cut += height < whole;
  }
  EXPECT_GT(cut, 0);
}

} // namespace
} // namespace tasuki
