// Steps arranged as passes over slabs, and what stands between these: the operations of the plan in their
// order, each pass no longer than asked, and no result of a pass left on the device that anybody reads.
#include <tasuki/program/plan.hpp>
#include <tasuki/run/script.hpp>
#include <tasuki/run/stages.hpp>
#include <tests/bare_sweep.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <map>

namespace tasuki {
namespace {

using test::bare_sweep;
using test::pick;
using test::Random;

struct StagedHalf {
  TS_CELL void operator()(double* s, double sum) const { s[0] = sum / 2; }
};

// Done one after another: an exchange, a sweep, a swap or a settlement, and the memories that it finds.
struct Done {
  long step = 0;
  Exchange* exchange = nullptr;
  std::set<int> sent;
  const PlannedSweep* sweep = nullptr;
  std::vector<int> memories; // of the sweep's accesses
  const Swap* swap = nullptr;
  const SettleCore* settlement = nullptr;
};

// Steps planned one behind the other up to the first with a call; `last`: the last of them.
std::vector<Done> done_in_turn(Planner& planner, long first, long end, PlannedStep*& last, long& count) {
  std::vector<Done> all;
  last = nullptr;
  count = 0;
  for (long number = first; number < end; ++number) {
    PlannedStep& step = planner.step(number, last);
    if (has_call(step)) break;
    last = &step;
    ++count;
    const auto exchange = [&](const auto& what) {
      if (what.needs.empty()) return;
      Done& done = all.emplace_back();
      done.step = number;
      done.exchange = planner.exchange_for(what.needs).get();
      for (const HaloNeed& need : what.needs) done.sent.insert(need.field->memory_id());
    };
    for (const PlannedOp& op : step.ops) {
      if (const auto* sweep = std::get_if<PlannedSweep>(&op)) {
        exchange(*sweep);
        Done& done = all.emplace_back();
        done.step = number;
        done.sweep = sweep;
        for (const Access& access : sweep->sweep->accesses())
          done.memories.push_back(access.field ? access.field->memory_id() : -1);
      } else if (const auto* refresh = std::get_if<PlannedRefresh>(&op)) {
        exchange(*refresh);
      } else if (const auto* swap = std::get_if<Swap>(&op)) {
        all.emplace_back().swap = swap;
        swap->a->swap(*swap->b);
      } else if (const auto* settlement = std::get_if<Settle>(&op)) {
        all.emplace_back().settlement = settlement->get();
      }
    }
  }
  for (auto done = all.rbegin(); done != all.rend(); ++done)
    if (done->swap) done->swap->a->swap(*done->swap->b);
  return all;
}

// Takes the operations of the stages from the list, one after another; the result: those of each stage.
std::vector<std::vector<Done>> dealt_out(const std::vector<Stage>& stages, const std::vector<Done>& due) {
  std::vector<std::vector<Done>> dealt;
  std::size_t next = 0;
  const Done none;
  const auto take = [&]() -> const Done& {
    const Done& done = next < due.size() ? due[next] : none;
    ++next;
    dealt.back().push_back(done);
    return done;
  };
  for (const Stage& stage : stages) {
    dealt.emplace_back();
    if (stage.exchange) {
      const Done& done = take();
      EXPECT_EQ(done.exchange, stage.exchange);
      EXPECT_EQ(done.sent, stage.sent);
    }
    if (stage.settlement) {
      EXPECT_EQ(take().settlement, stage.settlement);
    }
    for (const Pass::Op& op : stage.pass.ops()) {
      const Done& done = take();
      EXPECT_EQ(done.sweep, op.sweep);
      EXPECT_EQ(done.swap, op.swap);
    }
  }
  EXPECT_EQ(next, due.size()) << "operations";
  return dealt;
}

using StagedCell = std::array<long, 2>;

template <class Visit>
void each_staged_cell(const std::vector<Box>& boxes, const Visit& visit) {
  for (const Box& box : boxes)
    for (long y = box.lo[1]; y < box.hi[1]; ++y)
      for (long x = box.lo[0]; x < box.hi[0]; ++x) visit(StagedCell{x, y});
}

// Cells of a memory that a pass has written and does not take back: the next one writes them all before it
// reads any, and nobody is sent them.
void expect_dead(int memory, const std::vector<Done>& pass, const std::vector<Done>& next) {
  std::map<StagedCell, bool> stale; // on the host, until they are written again
  for (const Done& done : pass)
    for (std::size_t k = 0; k < done.memories.size(); ++k)
      if (done.memories[k] == memory && done.sweep->sweep->accesses()[k].kind != Access::Kind::read)
        each_staged_cell(done.sweep->boxes, [&](const StagedCell& cell) { stale[cell] = true; });
  for (const Done& done : next) {
    EXPECT_EQ(done.sent.count(memory), 0u) << "its cells are sent";
    if (!done.sweep) continue;
    for (std::size_t k = 0; k < done.memories.size(); ++k) {
      if (done.memories[k] != memory) continue;
      const Access& access = done.sweep->sweep->accesses()[k];
      if (access.kind == Access::Kind::write) {
        each_staged_cell(done.sweep->boxes, [&](const StagedCell& cell) { stale.erase(cell); });
        continue;
      }
      each_staged_cell(done.sweep->boxes, [&](const StagedCell& cell) {
        for (long dy = -access.shape.width[1].lo; dy <= access.shape.width[1].hi; ++dy)
          for (long dx = -access.shape.width[0].lo; dx <= access.shape.width[0].hi; ++dx)
            if ((dx != 0) + (dy != 0) <= access.shape.order) {
              ASSERT_EQ(stale.count({cell[0] + dx, cell[1] + dy}), 0u)
                  << "cell " << cell[0] + dx << " " << cell[1] + dy << " is read";
            }
      });
    }
  }
  EXPECT_TRUE(stale.empty()) << stale.size() << " cells stay as they were";
}

struct StagedFields {
  std::unique_ptr<World> world;
  Grid<2> grid;
  Field<double> u{grid, "u"}, v{grid, "v"}, w{grid, "w"};
  Sum<double> sum{*world, "sum"};
  Scalars<1> half{*world, "half"};
  Sweep flow = bare_sweep("flow", grid.inner(1), reads(u, star(1)), writes(v));

  StagedFields(unsigned long memory, int halo, bool periodic)
      : world(test::world_with([&](Settings& s) {
          s.device = "host";
          s.executor = "streamed";
          s.device_memory = memory;
          s.halo = halo;
          s.ranks.clear();
        })),
        grid(*world, {24, 40}, {.halo = 1, .periodic = periodic}) {}

  std::vector<Items> parts() const {
    return {items(flow),
            items(bare_sweep("mix", grid.inner(1), reads(v, box(1)), updates(w))),
            items(bare_sweep("set", grid.all(), writes(w))),
            items(bare_sweep("sum", grid.all(), reads(u), reduces(sum))),
            items(settle(StagedHalf{}, half, sum)),
            items(swap(u, v)),
            items(exchange(u, w)),
            items(call([](long) {}))};
  }
};

// Of these steps the stages from `first` on; the result: how many memories they do not take back.
int expect_staged(const Program& steps, long first, long last, long together) {
  Planner& planner = steps.planner();
  const Windows windows(steps.grid().device(), planner.fields());
  Stages stages(planner, windows);
  const PlanState before = planner.state();
  const std::vector<Stage>& list = stages.of(first, last, nullptr, together);
  EXPECT_EQ(planner.state(), before) << "the fields are as they were";
  PlannedStep* planned = nullptr;
  long count = 0;
  const std::vector<Done> due = done_in_turn(planner, first, last + 1, planned, count);
  EXPECT_EQ(stages.last(), planned);
  EXPECT_EQ(stages.done(), first + count - 1);
  const auto dealt = dealt_out(list, due);
  int dead = 0;
  for (std::size_t k = 0; k < list.size(); ++k) {
    SCOPED_TRACE("stage " + std::to_string(k));
    EXPECT_FALSE(list[k].exchange && list[k].settlement);
    std::set<const detail::ReductionCore*> reduced;
    long sweeps = 0, from = 0, to = 0;
    for (const Done& done : dealt[k]) {
      if (!done.sweep) continue;
      from = sweeps++ == 0 ? done.step : from;
      to = done.step;
      for (const Access& access : done.sweep->sweep->accesses())
        if (access.reduction) {
          EXPECT_TRUE(reduced.insert(access.reduction).second) << "two sums are one";
        }
    }
    if (sweeps > 0) {
      EXPECT_EQ((from - first) / together, (to - first) / together) << "steps of two passes";
    }
    if (sweeps > 1) {
      EXPECT_TRUE(windows.suits(list[k].pass));
    }
    for (const Pass::Memory& memory : list[k].pass.memories()) {
      if (!memory.dead) continue;
      ++dead;
      EXPECT_LT(k + 1, list.size()) << "after the last all is on the host";
      if (k + 1 < list.size()) expect_dead(memory.id, dealt[k], dealt[k + 1]);
    }
  }
  return dead;
}

TEST(Stages, AreTheStepsInTheirOrder) {
  Random random = test::random(72);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (int round = 0; round < 25; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const auto memory = static_cast<unsigned long>(pick(random, 12, 200)) * 1024;
    const bool periodic = pick(random, 0, 1) != 0;
    const StagedFields f(memory, static_cast<int>(pick(random, 1, 4)), periodic);
    const std::vector<Items> parts = f.parts();
    const bool calls = pick(random, 0, 3) == 0;
    const auto part = [&] { return parts[static_cast<std::size_t>(pick(random, 0, calls ? 7 : 6))]; };
    Items all = items(f.flow) + parts[3];
    for (long n = pick(random, 1, 5); n > 0; --n) {
      const long period = pick(random, 1, 3);
      all = all + (pick(random, 0, 2) == 0 ? every(period, part(), part()) : every(period, part()));
    }
    const Program steps(all);
    for (int run = 0; run < 3; ++run) {
      const long first = pick(random, 1, 6);
      expect_staged(steps, first, first + pick(random, 0, 11), pick(random, 1, 4));
    }
    if (test::any_rank(::testing::Test::HasFailure())) return;
  }
}

// Of two fields that change places every step the one that the next pass writes first need not go back.
TEST(Stages, LeaveWhatTheNextPassOverwrites) {
  const StagedFields f(1 << 20, 4, false);
  const int dead = expect_staged(program(f.flow, swap(f.u, f.v)), 1, 8, 2);
  if (f.world->size() == 1) {
    EXPECT_EQ(dead, 3) << "one field of each pass but the last";
  }
}

// A sum of a step is whole before the next step adds up its own.
TEST(Stages, HaveASumOnceAPass) {
  const StagedFields f(1 << 20, 1, false);
  const Program steps(items(f.flow) + f.parts()[3]);
  Planner& planner = steps.planner();
  const Windows windows(f.grid.core()->device(), planner.fields());
  Stages stages(planner, windows);
  long passes = 0;
  for (const Stage& stage : stages.of(1, 6, nullptr, 6)) passes += stage.pass.has_sweeps();
  EXPECT_GE(passes, 6);
}

} // namespace
} // namespace tasuki
