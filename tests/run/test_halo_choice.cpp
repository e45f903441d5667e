// --halo auto: the depth that the model finds best is the one that grids get, whatever a program makes on them; and the
// bits are those of any other depth.
#include <tasuki/model/halo_choice.hpp>
#include <tasuki/model/predict.hpp>
#include <tasuki/route/tuning.hpp>
#include <tasuki/run/run.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tasuki {
namespace {

using test::world;

struct Wave {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    u(c) = v(c) = static_cast<double>((c[0] * 5 + c[1] * 11) % 19) / 19.0;
  }
};
struct Mean {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    v(c) = 0.25 * (u(c, -1, 0) + u(c, 1, 0) + u(c, 0, -1) + u(c, 0, 1));
  }
};

struct Heat {
  Grid<2> grid;
  Field<double> u, v;
  Heat(World& made, long nx, long ny, int halo, const ChosenHalo& chosen = nullptr)
      : grid(made, {nx, ny}, {.halo = halo, .periodic = true, .chosen = chosen}), u(grid, "u"), v(grid, "v") {
    run(sweep(Wave{}, grid.all(), writes(u), writes(v)));
  }
  Items step() const {
    return {{.what = sweep(Mean{}, grid.all(), reads(u, star(1)), writes(v))}, swap(u, v)};
  }
};

std::unique_ptr<World> world_of(int halo, const char* channel, const char* executor = "eager") {
  return test::world_with([&](Settings& s) {
    s.halo = halo;
    s.channel = world().nodes() > 1 ? "" : channel;
    s.executor = executor;
    s.ranks.clear();
  });
}

Heat heat_in(World& made, long nx, long ny, int halo = 1) {
  return with_best_halo(
      made, [&](const ChosenHalo& chosen) { return Heat(made, nx, ny, halo, chosen); },
      [](const Heat& h) { return h.step(); });
}

int depth_of(const Heat& heat) {
  int depth = 0;
  for (const Width& w : heat.grid.core()->halo()) depth = std::max({depth, w.lo, w.hi});
  return depth;
}

TEST(HaloChoice, HasTheLeastPredictedTimeAndTheBitsOfAnyDepth) {
  for (const char* channel : {"", "mpi"})
    for (const char* executor : {"eager", "auto"}) {
      SCOPED_TRACE(std::string("--channel '") + channel + "' --executor " + executor);
      const auto plain = world_of(1, channel, executor), chosen = world_of(kAutoHalo, channel, executor);
      const Heat one(*plain, 48, 40, 1), best = heat_in(*chosen, 48, 40);
      const HaloChoice& choice = *best.grid.core()->chosen_halo();
      EXPECT_EQ(best.grid.core()->bands().any(), choice.depth == kDirectHalo);
      EXPECT_EQ(depth_of(best), choice.depth == kDirectHalo ? 1 : choice.depth);
      EXPECT_EQ(choice.seconds.upper_bound(0)->first, 1);
      const bool near = world().size() > 1 && world().nodes() == 1 && !*channel;
      EXPECT_EQ(choice.seconds.count(kDirectHalo), near ? 1u : 0u);
      for (const auto& [depth, seconds] : choice.seconds)
        EXPECT_GE(seconds, choice.seconds.at(choice.depth) * 0.99999);
      const Program program(one.step());
      const Prediction told = predict(program, choice.executor, choice.depth, tuning(*plain));
      EXPECT_DOUBLE_EQ(told.seconds(), choice.seconds.at(choice.depth));
      run(program, {.times = 37});
      run(Program(best.step()), {.times = 37});
      EXPECT_EQ(best.u.gather(), one.u.gather());
    }
}

// Neighbours' cells are one choice among the others: bits and the prediction are those of the grid that is cut so.
TEST(HaloChoice, MayBeTheNeighboursCells) {
  if (world().size() == 1 || world().nodes() > 1) GTEST_SKIP() << "there are no neighbours on the node";
  const auto plain = world_of(1, ""), asked = world_of(kAutoHalo, ""), direct = world_of(kDirectHalo, "");
  const Heat one(*plain, 48, 40, 1);
  run(Program(one.step()), {.times = 37});
  const auto choice = std::make_shared<HaloChoice>(HaloChoice{kDirectHalo, "eager", {{kDirectHalo, 1e-6}}});
  const Heat chosen(*asked, 48, 40, 1, choice), given(*direct, 48, 40, 1);
  EXPECT_TRUE(chosen.grid.core()->bands().any());
  EXPECT_EQ(chosen.grid.core()->cut().ranks[1], world().size());
  run(Program(chosen.step()), {.times = 37});
  EXPECT_EQ(chosen.u.gather(), one.u.gather());
  const Program from_plain(one.step()), from_direct(given.step());
  const Tuning& constants = tuning(*plain);
  EXPECT_DOUBLE_EQ(predict(from_plain, "eager", kDirectHalo, constants).seconds(),
                   predict(from_direct, "eager", 0, constants).seconds());
}

// A choice is no wish: a program that has its own cut keeps it, with exchanges.
TEST(HaloChoice, GivesWayToACutThatIsGiven) {
  const auto asked = world_of(kAutoHalo, "");
  const auto choice = std::make_shared<HaloChoice>(HaloChoice{kDirectHalo, "eager", {{kDirectHalo, 1e-6}}});
  const Grid<2> across(*asked, {48, 40}, {.halo = 1, .ranks = {world().size(), 1}, .chosen = choice});
  EXPECT_EQ(across.core()->bands().any(), world().size() == 1);
  EXPECT_EQ(across.core()->cut().ranks[0], world().size());
}

// Not of fields whose memory is the user's, since it does not lie beside the neighbours'.
TEST(HaloChoice, LeavesOutNeighboursOfFieldsThatLieElsewhere) {
  if (test::device().cuda()) GTEST_SKIP() << "the memory is the host's";
  const auto asked = world_of(kAutoHalo, "");
  const Grid<2> grid(*asked, {48, 40}, {.halo = 1, .chosen = std::make_shared<HaloChoice>()});
  const Field<double> v(grid, "v");
  std::vector<double> room(Field<double>::layout(grid).bytes / sizeof(double) + 8);
  auto* const start =
      reinterpret_cast<double*>((reinterpret_cast<std::uintptr_t>(room.data()) + 63) / 64 * 64);
  const Field<double> u = Field<double>::borrow(grid, "u", start);
  const HaloChoice choice =
      choose_halo(program(sweep(Mean{}, grid.inner(1), reads(u, star(1)), writes(v)), swap(u, v)));
  EXPECT_EQ(choice.seconds.count(kDirectHalo), 0u);
}

// A message costs more than some rows of a small block that are computed twice.
TEST(HaloChoice, IsDeepWhereMessagesAreDear) {
  if (world().size() == 1) GTEST_SKIP() << "nothing goes to other ranks";
  const auto made = world_of(kAutoHalo, "mpi");
  EXPECT_GT(depth_of(heat_in(*made, 48, 40)), 1);
}

// Without --halo and --executor: deeper than the program's own only where that saves a tenth of the predicted step, with the same
// bits; and what the program has where the user says how it runs.
TEST(HaloChoice, IsMadeByDefaultWhereItSavesATenth) {
  const auto plain = world_of(1, ""), eager = world_of(0, "mpi", "eager");
  const Heat one(*plain, 48, 40, 1);
  run(Program(one.step()), {.times = 37});
  for (const char* channel : {"", "mpi"}) {
    const auto asked = world_of(kAutoHalo, channel, "auto"), silent = world_of(0, channel, "auto");
    const Heat best = heat_in(*asked, 48, 40), heat = heat_in(*silent, 48, 40);
    const HaloChoice& choice = *best.grid.core()->chosen_halo();
    const double gain = 1 - choice.seconds.at(choice.depth) / choice.seconds.at(1);
    const bool deeper = world().size() > 1 && gain >= kWorthDeeper;
    EXPECT_EQ(depth_of(heat), deeper ? choice.depth : 1) << channel << ", a gain of " << gain;
    EXPECT_EQ(heat.grid.core()->chosen_halo() != nullptr, deeper);
    run(Program(heat.step()), {.times = 37});
    EXPECT_EQ(heat.u.gather(), one.u.gather());
  }
  EXPECT_EQ(depth_of(heat_in(*eager, 48, 40)), 1);
  // What cannot be moved is made where it stays.
  struct Fixed : Heat {
    using Heat::Heat;
    Fixed(const Fixed&) = delete;
  };
  const auto silent = world_of(0, "", "auto");
  const Fixed fixed = with_best_halo(
      *silent, [&](const ChosenHalo& chosen) { return Fixed(*silent, 48, 40, 1, chosen); },
      [](const Heat& h) { return h.step(); });
  EXPECT_GE(depth_of(fixed), 1);
}

// Fields that the device has no room for are streamed, and their halo bounds the steps of a pass: on one rank too, as the
// grid is periodic.
TEST(HaloChoice, IsMadeByDefaultForFieldsInHostMemory) {
  const long ny = 400L * world().size(); // 300 KiB of each field on each rank
  const auto plain = world_of(1, "");
  const Heat one(*plain, 96, ny, 1);
  run(Program(one.step()), {.times = 37});
  const auto small = [](const char* executor, std::size_t memory) {
    return test::world_with([&](Settings& s) {
      s.halo = 0;
      s.channel = "";
      s.executor = executor;
      s.device_memory = memory;
      s.ranks.clear();
    });
  };
  for (const char* executor : {"auto", "streamed"}) {
    SCOPED_TRACE(executor);
    const auto made = small(executor, 256 << 10);
    const Heat heat = heat_in(*made, 96, ny);
    ASSERT_NE(heat.grid.core()->chosen_halo(), nullptr);
    EXPECT_EQ(heat.grid.core()->chosen_halo()->executor, "streamed");
    EXPECT_GT(depth_of(heat), 1);
    EXPECT_EQ(run(Program(heat.step()), {.times = 37}).executor, "streamed");
    EXPECT_EQ(heat.u.gather(), one.u.gather());
  }
  if (world().size() > 1) return;
  const auto roomy = small("auto", 16 << 20); // all of it fits, and nothing goes to other ranks
  EXPECT_EQ(depth_of(heat_in(*roomy, 96, ny)), 1);
}

TEST(HaloChoice, IsNoWiderThanABlockAndNoNarrowerThanIsAskedFor) {
  const auto made = world_of(kAutoHalo, "mpi");
  const long n = world().size();
  const Heat narrow = heat_in(*made, 3 * n, 3 * n);
  for (int a = 0; a < 2; ++a)
    if (narrow.grid.core()->cut().exchanges(a)) {
      EXPECT_LE(depth_of(narrow), narrow.grid.core()->cut().smallest_block(a));
    }
  EXPECT_GE(depth_of(heat_in(*made, 48, 40, 3)), 3);
}

TEST(HaloChoice, IsNotLeftOutSilently) {
  const auto made = world_of(kAutoHalo, "");
  try {
    const Heat heat(*made, 48, 40, 1);
    FAIL() << "a run on halos that nobody has chosen";
  } catch (const Error& fault) {
    EXPECT_NE(std::string(fault.what()).find("leaves no choice of its halos"), std::string::npos);
  }
  // Nor by a program whose other grid was chosen, nor where what makes the fields leaves the choice out.
  const Heat best = heat_in(*made, 48, 40);
  EXPECT_THROW(Heat(*made, 24, 24, 1), Error);
  EXPECT_THROW(with_best_halo(
                   *made, [&](const ChosenHalo&) { return Heat(*made, 48, 40, 1); },
                   [](const Heat& h) { return h.step(); }),
               Error);
  // A width of the user's is nobody's choice.
  const auto given = world_of(2, "");
  const Heat two = heat_in(*given, 48, 40);
  EXPECT_EQ(two.grid.core()->chosen_halo(), nullptr);
  EXPECT_EQ(depth_of(two), 2);
  // Nor where the model cannot tell.
  if (test::device().cuda()) return;
  const auto graph = world_of(kAutoHalo, "", "graph");
  EXPECT_THROW(heat_in(*graph, 48, 40), Error);
}

} // namespace
} // namespace tasuki
