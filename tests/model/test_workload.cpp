// What the model thinks that a rank does is what the planner has it do; and what it thinks of ranks that are
// not there.
#include <tasuki/base/executors.hpp>
#include <tasuki/model/predict.hpp>
#include <tasuki/model/workload.hpp>
#include <tests/planned.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <map>

namespace tasuki {
namespace {

using test::modelled;
using test::pick;
using test::planned;
using test::Random;
using test::Sums;
using test::world;

struct Average {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    v(c) = 0.25f * (u(c, -1, 0) + u(c, 1, 0) + u(c, 0, -1) + u(c, 0, 1));
  }
};
struct Spread {
  TS_CELL void operator()(auto c, auto u, auto w, auto v, auto sum) const {
    v(c) = u(c, 1, 1, 0) + u(c, 0, -1, -1) + static_cast<double>(w[2](c));
    sum(c, v(c));
  }
};
struct Decay {
  TS_CELL void operator()(auto c, auto w) const {
    for (int k = 0; k < 3; ++k) w[k](c) = 0.5f * w[k](c);
  }
};

// Compares them on the rank that the model speaks of, over `period` steps after the halos have filled.
void expect_alike(const Program& program, long fill, long period) {
  const Sums plan = planned(program, fill, fill + period);
  const Workload load = workload(describe(program), program.grid().cut());
  EXPECT_NEAR(load.mean([](const StepLoad&) { return 1; }), 1, 1e-12);
  if (world().rank() != load.rank) return;
  const Sums model = modelled(load);
  EXPECT_DOUBLE_EQ(model.cells, plan.cells);
  EXPECT_DOUBLE_EQ(model.interior, plan.interior);
  EXPECT_DOUBLE_EQ(model.rim, plan.rim);
  EXPECT_DOUBLE_EQ(model.sent, plan.sent);
  EXPECT_DOUBLE_EQ(model.to_itself, plan.to_itself);
}

struct Load : testing::Test {
  World& world = *made;
  static void SetUpTestSuite() {
    made = test::world_with([](Settings& s) {
      s.halo = 0;
      s.ranks.clear();
      s.channel = "";
    });
  }
  static void TearDownTestSuite() { made.reset(); }

private:
  static std::unique_ptr<World> made;
};
std::unique_ptr<World> Load::made;

TEST_F(Load, IsWhatThePlannerPlansAtAnyDepthOfHalo) {
  Random random = test::random(71);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (int halo = 1; halo <= 5; ++halo)
    for (const bool periodic : {false, true}) {
      SCOPED_TRACE("halo " + std::to_string(halo) + (periodic ? ", periodic" : ""));
      const Grid<2> grid(world, {pick(random, 36, 70), pick(random, 36, 70)},
                         {.halo = halo, .periodic = {false, periodic}});
      const Field<float> u(grid, "u"), v(grid, "v");
      const auto relax = sweep(Average{}, grid.inner(1), reads(u, star(1)), writes(v));
      expect_alike(program(relax, swap(u, v)), 5 * halo, 12 * halo);
    }
}

TEST_F(Load, IsWhatThePlannerPlansForSeveralFieldsUpdatesAndPeriods) {
  for (int halo = 1; halo <= 3; ++halo) {
    SCOPED_TRACE("halo " + std::to_string(halo));
    const Grid<3> grid(world, {20, 22, 40}, {.halo = halo, .periodic = {true, false, false}});
    const Field<double> u(grid, "u"), v(grid, "v");
    const Field<float[3]> w(grid, "w");
    const Sum<double> sum(world, "sum");
    const auto spread = sweep(Spread{}, grid.inner(1), reads(u, edges(1)), reads(w), writes(v), reduces(sum));
    const auto decay = sweep(Decay{}, grid.all(), updates(w));
    expect_alike(program(spread, swap(u, v), every(3, decay), every(4, exchange(u))), 24, 48);
  }
}

TEST_F(Load, OfMoreDevicesThanThereAreNeedsNone) {
  const Grid<2> small(world, {24, 24}, {.halo = 1});
  const Field<float> u(small, "u"), v(small, "v");
  const auto relax = sweep(Average{}, small.inner(1), reads(u, star(1)), writes(v));
  const Description d = describe(program(relax, swap(u, v))).resized({4096, 4096});
  const Workload one = workload(d, cut_for(d, 1, exchange_cost_cuda()));
  EXPECT_DOUBLE_EQ(one.cells(), 4094.0 * 4094);
  EXPECT_EQ(one.sent(false), 0);
  EXPECT_DOUBLE_EQ(one.memory, 2 * 4 * 4096.0 * 4096);

  // 64 rows a device: a row goes up, a row goes down.
  const Workload many = workload(d, cut_for(d, 64, exchange_cost_cuda(), {1, 64}));
  EXPECT_DOUBLE_EQ(many.cells(), 4094.0 * 64);
  EXPECT_DOUBLE_EQ(many.sent(false), 2 * 4 * 4096.0);
  for (const StepLoad& step : many.steps) { // two: u and v take turns
    const SweepLoad& sweep = step.sweeps.at(0);
    EXPECT_EQ(sweep.name, "Average");
    EXPECT_EQ(sweep.rim_cells, 2 * 4094);
    EXPECT_EQ(sweep.interior_cells, 62 * 4094);
    EXPECT_DOUBLE_EQ(sweep.bytes, 2 * 4096 * 4 * 64.0); // rows of whole sectors
    for (const FaceLoad& face : sweep.faces) {
      EXPECT_EQ(face.bytes, 4 * 4096);
      EXPECT_EQ(face.shape, FaceShape::block);
    }
  }

  // A deeper halo: as many bytes, fewer messages, more cells.
  const Description deep = d.with_halo(8);
  const Workload seldom = workload(deep, cut_for(deep, 64, exchange_cost_cuda(), {1, 64}));
  EXPECT_DOUBLE_EQ(seldom.sent(false), many.sent(false));
  EXPECT_DOUBLE_EQ(seldom.mean([](const StepLoad& s) { return s.sweeps[0].exchanges ? 1 : 0; }), 1.0 / 8);
  EXPECT_DOUBLE_EQ(seldom.cells(), 4094.0 * (64 + 7)); // 14, 12, .. 0 rows more
}

// Of ranks of a node a flag goes instead of a row, in a cut into bands; of others the row.
TEST_F(Load, OfDirectHalosIsAFlagWithinANode) {
  const Grid<2> small(world, {24, 24}, {.halo = 1});
  const Field<float> u(small, "u"), v(small, "v");
  const auto relax = sweep(Average{}, small.inner(1), reads(u, star(1)), writes(v));
  const Program step = program(relax, swap(u, v));
  const Description d = describe(step).resized({4096, 4096}), direct = d.with_halo(kDirectHalo);
  EXPECT_EQ(direct.halo[1], Width(1));
  const Decomposition cut = cut_for(direct, 64, exchange_cost_cuda());
  EXPECT_EQ(cut.ranks[0], 1);
  EXPECT_EQ(cut.ranks[1], 64);
  const Workload far = workload(d, cut), near = workload(direct, cut, Padding::gpu, nodes_of(64)),
                 apart = workload(direct, cut, Padding::gpu, nodes_of(1)),
                 pairs = workload(direct, cut, Padding::gpu, nodes_of(2));
  EXPECT_EQ(near.sent(false), 0);
  EXPECT_EQ(near.messages(), 2);
  EXPECT_EQ(apart.sent(false), far.sent(false));
  EXPECT_EQ(pairs.sent(false), far.sent(false) / 2);
  EXPECT_EQ(near.cells(), far.cells());
  for (const FaceLoad& face : near.steps.at(0).sweeps.at(0).faces) EXPECT_EQ(face.near, 4 * 4096);

  const Constants gpus = Constants::named("NVIDIA H200");
  const auto seconds = [&](const Description& of, const char* executor, const Decomposition& on) {
    return predict(workload(of, on, Padding::gpu, nodes_of(64)), executor, gpus, nodes_of(64), {});
  };
  EXPECT_EQ(seconds(direct, "graph", cut).not_here, kDoesNotMeet);
  const Prediction eager = seconds(direct, "eager", cut), copies = seconds(d, "eager", cut);
  EXPECT_EQ(eager.halo, kDirectHalo);
  EXPECT_DOUBLE_EQ(eager.parts[Part::compute], copies.parts[Part::compute]);
  EXPECT_GT(eager.parts[Part::bandwidth], 0) << "rows come over the link";
  Constants tuned = gpus; // a measured meeting takes the place of an exchange's latency
  tuned.tuning.device.meeting = 1e-3;
  EXPECT_NEAR(predict(near, "eager", tuned, nodes_of(64), {}).seconds() - eager.seconds(), 1e-3, 1e-4);
  EXPECT_DOUBLE_EQ(predict(far, "eager", tuned, nodes_of(64), {}).seconds(), copies.seconds());
}

TEST_F(Load, KnowsTheShapesOfFaces) {
  const Grid<3> small(world, {12, 12, 24}, {.halo = 1, .periodic = true});
  const Field<double> u(small, "u"), v(small, "v");
  const auto copy = sweep(Spread{}, small.all(), reads(u, edges(1)), reads(Field<float[3]>(small, "w")),
                          writes(v), reduces(Sum<double>(world, "s")));
  const Description d = describe(program(copy, swap(u, v))).resized({64, 64, 64});
  const Workload load = workload(d, cut_for(d, 8, exchange_cost_cuda(), {2, 2, 2}));
  std::map<FaceShape, int> shapes;
  for (const FaceLoad& face : load.steps.at(0).sweeps.at(0).faces) {
    ++shapes[face.shape];
    if (face.direction[0] == 0 && face.direction[1] == 0) {
      EXPECT_EQ(face.bytes, 32 * 32 * 8);
    }
    if (face.direction[0] != 0) {
      EXPECT_EQ(face.row_bytes, 8);
    }
  }
  // 6 faces and 12 edges. Those off x lie a cell a row.
  EXPECT_EQ(shapes[FaceShape::stride], 2 + 8);
  EXPECT_EQ(shapes[FaceShape::block] + shapes[FaceShape::block_stride], 4 + 4);
}

} // namespace
} // namespace tasuki
