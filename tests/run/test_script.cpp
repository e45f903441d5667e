// What threads that stay are to do, written in advance: against the same steps, planned one after another
// when their turn comes.
#include <tasuki/run/run.hpp>
#include <tasuki/run/script.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace tasuki {
namespace {

using test::pick;
using test::Random;

struct ScriptedFlow {
  TS_CELL void operator()(auto c, auto a, auto b) const { b(c) = a(c, -1, 0) + a(c, 0, 1); }
};
struct ScriptedMix {
  TS_CELL void operator()(auto c, auto b, auto w) const { w(c) = w(c) + b(c, 1, 1); }
};
struct ScriptedNudge {
  TS_CELL void operator()(auto c, auto a) const { a(c) = 2 * a(c); }
};

// An operation of a step when its turn comes: the halos that it fills and touches, by memories.
struct DueOp {
  Exchange* exchange = nullptr;
  std::set<int> received, touched;
};
struct DueStep {
  const PlannedStep* planned;
  std::vector<DueOp> ops;
};

// Cell by cell and offset by offset: the memories that a sweep reads or writes outside of this rank's block.
std::set<int> touched_by(const PlannedSweep& planned) {
  const Box owned = box_of(2, planned.sweep->grid().layout().extents);
  const auto outside = [&](long x, long y) { return x < 0 || y < 0 || x >= owned.hi[0] || y >= owned.hi[1]; };
  std::set<int> touched;
  for (const Access& access : planned.sweep->accesses())
    for (const Box& box : planned.boxes)
      for (long y = box.lo[1]; y < box.hi[1]; ++y)
        for (long x = box.lo[0]; x < box.hi[0]; ++x)
          for (long dy = -access.shape.width[1].lo; dy <= access.shape.width[1].hi; ++dy)
            for (long dx = -access.shape.width[0].lo; dx <= access.shape.width[0].hi; ++dx)
              if ((dx != 0) + (dy != 0) <= access.shape.order && outside(x + dx, y + dy))
                touched.insert(access.field->memory_id());
  return touched;
}

// Steps from `first` on, each planned behind the one before, with the memories as they are then.
std::vector<DueStep> planned_in_turn(Planner& planner, long first, long count) {
  std::vector<DueStep> steps;
  std::vector<const Swap*> swaps;
  PlannedStep* last = nullptr;
  for (long number = first; number < first + count; ++number) {
    last = &planner.step(number, last);
    DueStep step{last, {}};
    const auto fill = [&](const auto& what, DueOp& op) {
      if (what.needs.empty()) return;
      op.exchange = planner.exchange_for(what.needs).get();
      for (const HaloNeed& need : what.needs) op.received.insert(need.field->memory_id());
      op.touched.insert(op.received.begin(), op.received.end());
    };
    for (const PlannedOp& planned : last->ops) {
      DueOp op;
      if (const auto* sweep = std::get_if<PlannedSweep>(&planned)) {
        op.touched = touched_by(*sweep);
        fill(*sweep, op);
      } else if (const auto* refresh = std::get_if<PlannedRefresh>(&planned)) {
        fill(*refresh, op);
      } else {
        if (const auto* swap = std::get_if<Swap>(&planned)) {
          swap->a->swap(*swap->b);
          swaps.push_back(swap);
        }
        continue;
      }
      step.ops.push_back(op);
    }
    steps.push_back(std::move(step));
  }
  for (auto swap = swaps.rbegin(); swap != swaps.rend(); ++swap) (*swap)->a->swap(*(*swap)->b);
  return steps;
}

// Every exchange is freed once: behind the last operation before it that touches a halo which it fills.
void expect_freed(Script& script) {
  struct Placed {
    long number;
    const ScriptOp* op;
  };
  std::vector<Placed> all;
  const long end = script.first + (script.loop < 0 ? script.size() : 2 * script.size() + 1);
  for (long number = script.first; number < end; ++number)
    for (const ScriptOp& op : script.at(number).ops) all.push_back({number, &op});
  const auto meet = [](const std::set<int>& a, const std::set<int>& b) {
    return std::any_of(a.begin(), a.end(), [&](int memory) { return b.count(memory) != 0; });
  };
  std::vector<std::multimap<Exchange*, long>> due(all.size());
  for (std::size_t late = 0; late < all.size(); ++late)
    for (std::size_t k = late; k-- > 0;)
      if (meet(all[k].op->halos, all[late].op->received)) {
        due[k].emplace(all[late].op->exchange, all[late].number - all[k].number);
        break;
      }
  long most = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    std::multimap<Exchange*, long> frees;
    for (const Free& free : all[k].op->frees) {
      frees.emplace(free.exchange, free.steps);
      most = std::max(most, free.steps);
    }
    // What a round's last steps free lies beyond what is listed here.
    if (script.loop < 0 || all[k].number + script.size() < end) {
      EXPECT_EQ(frees, due[k]) << "operation " << k;
    }
  }
  EXPECT_EQ(script.ahead(), most);
}

void expect_as_planned(Script& script, Planner& planner, long first, long last) {
  const long count = std::min(last - first + 1, 3 * script.size() + 2);
  const std::vector<DueStep> due = planned_in_turn(planner, first, count);
  ASSERT_EQ(script.first, first);
  for (long k = 0; k < count; ++k) {
    const DueStep& step = due[static_cast<std::size_t>(k)];
    const bool calls =
        std::any_of(step.planned->ops.begin(), step.planned->ops.end(),
                    [](const PlannedOp& op) { return std::holds_alternative<PlannedCall>(op); });
    ASSERT_EQ(has_call(*step.planned), calls);
    ASSERT_EQ(script.knows(first + k), !calls) << "step " << first + k;
    if (calls) return;
    const ScriptStep& written = script.at(first + k);
    ASSERT_EQ(written.planned, step.planned) << "step " << first + k;
    ASSERT_EQ(written.ops.size(), step.ops.size());
    for (std::size_t j = 0; j < step.ops.size(); ++j) {
      const ScriptOp& op = written.ops[j];
      EXPECT_EQ(op.exchange, step.ops[j].exchange);
      EXPECT_EQ(op.received, step.ops[j].received);
      EXPECT_TRUE(std::includes(op.halos.begin(), op.halos.end(), step.ops[j].touched.begin(),
                                step.ops[j].touched.end()));
      if (op.task) {
        EXPECT_LE(op.task->parts(), script.threads);
      }
    }
  }
  EXPECT_EQ(script.knows(first + count), script.loop >= 0) << "the last step is known, and the end";
}

// A program made up at random; its steps recur, or calls of the host stand between them.
void expect_written_as_planned(Random& random) {
  const long halo = pick(random, 1, 3);
  const bool calls = pick(random, 0, 2) == 0;
  const auto made = test::world_with([&](Settings& s) {
    s.device = "host";
    s.executor = "eager";
    s.halo = static_cast<int>(halo);
    s.ranks.clear();
  });
  GridOptions options{.halo = 1};
  options.periodic = std::array<bool, kMaxDims>{pick(random, 0, 1) != 0, pick(random, 0, 1) != 0};
  const Grid<2> grid(*made, {pick(random, 24, 32), pick(random, 24, 32)}, options);
  const Field<double> a(grid, "a"), b(grid, "b"), w(grid, "w");
  const auto flow = sweep(ScriptedFlow{}, grid.inner(1), reads(a, star(1)), writes(b));
  const std::vector<Item> parts = {
      items(flow)[0],
      items(sweep(ScriptedMix{}, grid.inner(1), reads(b, box(1)), updates(w)))[0],
      items(sweep(ScriptedNudge{}, grid.all(), updates(a)))[0],
      swap(a, b),
      exchange(a, w),
      call([](long) {}),
  };
  const auto part = [&] { return parts[static_cast<std::size_t>(pick(random, 0, calls ? 5 : 4))]; };
  Items all = items(flow);
  for (long n = pick(random, 1, 5); n > 0; --n) {
    const long period = pick(random, 1, 4);
    all = all + (pick(random, 0, 2) == 0 ? every(period, part(), part()) : every(period, part()));
  }
  const Program steps(all);
  Planner& planner = steps.planner();
  Walk walk(steps);
  const Team team(*made);
  Scripts scripts(steps, team);
  for (const long first : {1L, 2L, 1L, pick(random, 3, 9), 13L}) {
    SCOPED_TRACE("from step " + std::to_string(first));
    constexpr long kLast = 100;
    const PlanState before = planner.state();
    Script& script = scripts.from(walk, first, kLast);
    EXPECT_EQ(planner.state(), before) << "the fields are as they were";
    ASSERT_NO_FATAL_FAILURE(expect_as_planned(script, planner, first, kLast));
    expect_freed(script);
  }
}

TEST(Script, IsWhatIsPlannedStepByStep) {
  Random random = test::random(71);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (int round = 0; round < 20; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    expect_written_as_planned(random);
    if (test::any_rank(::testing::Test::HasFailure())) return;
  }
}

// Counted one by one: behind the last comes the one where the loop begins.
TEST(Script, GoesRoundFromTheLastStepToTheLoop) {
  for (long size = 1; size < 6; ++size)
    for (long loop = -1; loop < size; ++loop) {
      Script script;
      script.first = 7;
      script.loop = loop;
      script.steps.resize(static_cast<std::size_t>(size));
      EXPECT_FALSE(script.knows(6));
      long at = 0;
      for (long number = 7; number < 7 + 4 * size; ++number) {
        ASSERT_EQ(script.knows(number), at >= 0) << number;
        if (at < 0) continue;
        ASSERT_EQ(script.index(number), at) << number << " of " << size << " from " << loop;
        at = at + 1 < size ? at + 1 : loop;
      }
      EXPECT_EQ(script.once(7, 1000), 6 + size);
      EXPECT_EQ(script.once(7, 7), 7);
    }
}

} // namespace
} // namespace tasuki
