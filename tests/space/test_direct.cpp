// Halos that are the neighbours' own cells (--halo direct): same bits as with exchanges, and no rank writes what another still reads.
#include <tasuki/program/plan.hpp>
#include <tasuki/run/run.hpp>
#include <tasuki/space/field.hpp>
#include <tests/checks.hpp>
#include <tests/space/spaces.hpp>

#include <unistd.h>

#include <vector>

namespace tasuki::test {
namespace {

auto on_host(int halo, const char* executor, int nodes = 1) {
  return [=](Settings& s) {
    s.device = "host";
    s.halo = halo;
    s.executor = executor;
    s.subclusters = nodes;
    s.ranks.clear();
    s.channel = "";
  };
}

// One rank takes its time at some of its cells: its neighbours come to write what it still reads. A GPU is in no hurry anyway.
TS_CELL void linger([[maybe_unused]] int rank, [[maybe_unused]] int late, [[maybe_unused]] const auto& c) {
#ifndef __CUDA_ARCH__
  if (rank == late && c[0] == 0 && (c.dims == 2 || c[1] == 0)) usleep(10);
#endif
}

struct Begin {
  TS_CELL void operator()(auto c, auto u, auto v, auto w) const {
    double at = 1;
    for (int a = 0; a < c.dims; ++a) at = 31 * at + static_cast<double>(c[a]);
    u(c) = 1 / at;
    v(c) = 0.25 * at;
    for (int k = 0; k < 3; ++k) w[k](c) = at - k;
  }
};
struct Star { // as deep as the halo on each side of each axis
  int rank, late;
  Widths reach;
  TS_CELL void operator()(auto c, auto from, auto to) const {
    linger(rank, late, c);
    double sum = 0.3 * from(c);
    for (int a = 0; a < c.dims; ++a) {
      std::array<int, 3> off{};
      const auto cell = [&](int by) {
        off[static_cast<std::size_t>(a)] = by;
        if constexpr (decltype(c)::dims == 2)
          return from(c, off[0], off[1]);
        else
          return from(c, off[0], off[1], off[2]);
      };
      sum += 0.1 * cell(-reach[a].lo) - 0.07 * cell(reach[a].hi);
    }
    to(c) = sum;
  }
};
struct Corners {
  int rank, late;
  TS_CELL void operator()(auto c, auto from, auto to) const {
    linger(rank, late, c);
    if constexpr (decltype(c)::dims == 2)
      to(c) = 0.5 * from(c) + 0.25 * from(c, -1, 1) - 0.125 * from(c, 1, -1);
    else
      to(c) = 0.5 * from(c) + 0.25 * from(c, -1, 1, 1) - 0.125 * from(c, 0, -1, -1);
  }
};
struct Upwind { // of three numbers, along the slowest axis and towards one side
  int rank, late;
  TS_CELL void operator()(auto c, auto w, auto to) const {
    linger(rank, late, c);
    if constexpr (decltype(c)::dims == 2)
      to(c) = w[0](c, 0, -1) + 0.5 * w[1](c) - w[2](c, 0, -1);
    else
      to(c) = w[0](c, 0, 0, -1) + 0.5 * w[1](c) - w[2](c, 0, 0, -1);
  }
};
struct Into { // cell by cell
  TS_CELL void operator()(auto c, auto from, auto to) const { to(c) = 0.75 * from(c) + 0.125 * to(c); }
};
struct IntoAll {
  TS_CELL void operator()(auto c, auto from, auto w) const {
    for (int k = 0; k < 3; ++k) w[k](c) = from(c) * (k + 1) - 0.5 * w[k](c);
  }
};

// What a random program leaves in its fields. The same program for the same numbers from `random`.
template <int D>
std::vector<double> outcome(World& on, Random random) {
  std::array<long, D> extents{};
  GridOptions options;
  std::array<Width, kMaxDims> widths{};
  std::array<bool, kMaxDims> periodic{};
  for (int a = 0; a < D; ++a) {
    extents[static_cast<std::size_t>(a)] = pick(random, 7, 24);
    widths[static_cast<std::size_t>(a)] =
        Width(static_cast<int>(pick(random, 1, 2)), static_cast<int>(pick(random, 1, 2)));
    periodic[static_cast<std::size_t>(a)] = pick(random, 0, 1) == 1;
  }
  extents[D - 1] = pick(random, 2 * on.size(), 8 * on.size()) + 1;
  options.halo = Halo(widths);
  options.periodic = PerAxis<bool>(periodic);
  // The same cut with exchanges: what differs is how halos are read.
  std::array<int, kMaxDims> cut{};
  for (int a = 0; a < D; ++a) cut[static_cast<std::size_t>(a)] = a == D - 1 ? on.size() : 1;
  options.ranks = PerAxis<int>(cut);
  const Grid<D> grid(on, extents, options);
  Field<double> u(grid, "u"), v(grid, "v");
  Field<double[3]> w(grid, "w");
  run(sweep(Begin{}, grid.all(), writes(u), writes(v), writes(w)));

  Widths reach{};
  for (int a = 0; a < D; ++a) reach[a] = widths[static_cast<std::size_t>(a)];
  const int late = on.size() == 1 ? -1 : static_cast<int>(pick(random, 0, on.size() - 1)), me = on.rank();
  const auto inner = grid.inner(options.halo);
  Items chosen;
  const auto add = [&](const auto& what) {
    const Items one = every(pick(random, 1, 3), what);
    chosen.insert(chosen.end(), one.begin(), one.end());
  };
  const long count = pick(random, 2, 7);
  for (long k = 0; k < count; ++k) {
    const bool turned = pick(random, 0, 1) == 1;
    const auto &from = turned ? v : u, &to = turned ? u : v;
    switch (pick(random, 0, 6)) {
      case 0: add(sweep(Star{me, late, reach}, inner, reads(from, star(options.halo)), writes(to))); break;
      case 1: add(sweep(Corners{me, late}, inner, reads(from, box(1)), writes(to))); break;
      case 2: add(sweep(Upwind{me, late}, inner, reads(w, star(1)), writes(to))); break;
      case 3: add(sweep(Into{}, grid.all(), reads(from), updates(to))); break;
      case 4: add(sweep(IntoAll{}, pick(random, 0, 1) ? grid.all() : inner, reads(from), updates(w))); break;
      case 5: add(swap(u, v)); break;
      default:
        add(call([u = Field<double>(to)](long step) mutable {
          std::vector<double> values = u.to_host();
          for (double& value : values) value = 0.5 * value + static_cast<double>(step);
          u.from_host(values);
        }));
    }
  }
  add(sweep(Star{me, late, reach}, inner, reads(u, star(options.halo)), writes(v)));
  run(Program(chosen), {.times = 5});
  std::vector<double> all;
  for (const auto& part : {u.gather(), v.gather(), w.gather()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

TEST(Direct, HasTheBitsOfExchanges) {
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(seed()));
  for (const char* executor : {"eager", "overlapped"}) {
    const auto plain = world_with(on_host(0, executor)), near = world_with(on_host(kDirectHalo, executor)),
               apart = world_with(on_host(kDirectHalo, executor, world().size() > 2 ? 2 : 1));
    for (std::uint64_t round = 0; round < 6; ++round) {
      SCOPED_TRACE(std::string(executor) + ", round " + std::to_string(round));
      const auto of = [&](World& on) {
        return round % 2 ? outcome<3>(on, random(round)) : outcome<2>(on, random(round));
      };
      const std::vector<double> expected = of(*plain), is = of(*near), between = of(*apart);
      ASSERT_FALSE(any_rank(!same_bits(is, expected)));
      ASSERT_FALSE(any_rank(!same_bits(between, expected))); // several nodes: messages at their borders
    }
  }
}

TEST(Direct, CopiesNothingWithinANode) {
  const auto near = world_with(on_host(kDirectHalo, "eager"));
  const Grid<2> grid(*near, {33, 8 * near->size()});
  const Field<double> u(grid, "u"), v(grid, "v");
  const RunReport report = run(
      program(sweep(Corners{0, -1}, grid.inner(1), reads(u, box(1)), writes(v)), swap(u, v)), {.times = 9});
  for (const auto& [name, use] : report.channels) EXPECT_EQ(use.bytes, 0) << name;
  const int pairs = 2 * (near->size() - 1);
  EXPECT_EQ(report.channels.at("peer").messages, 9L * pairs); // flags
  // One memory: the plane above a band is the first of the next rank.
  if (near->rank() + 1 < near->size()) {
    const Layout& layout = grid.core()->layout();
    EXPECT_EQ(u.core()->origin() + layout.index({0, layout.extents[1]}) * 8,
              u.core()->origin_of(near->rank() + 1));
  }
}

// "x" for an exchange before a sweep, "p" for a sweep, "m" for a meeting before a call, "c" for a call, by step.
std::vector<std::string> plans(const Program& program, long steps) {
  std::vector<std::string> all;
  PlannedStep* last = nullptr;
  for (long number = 1; number <= steps; ++number) {
    last = &program.planner().step(number, last);
    std::string& text = all.emplace_back();
    for (const PlannedOp& op : last->ops) {
      if (const auto* sweep = std::get_if<PlannedSweep>(&op)) text += sweep->needs.empty() ? "p" : "xp";
      if (std::holds_alternative<PlannedRefresh>(op)) text += "m";
      if (std::holds_alternative<PlannedCall>(op)) text += "c";
    }
  }
  return all;
}

TEST(Direct, NeighboursMeetBeforeWhatIsReadIsWritten) {
  if (world().size() == 1) GTEST_SKIP() << "one rank has no neighbours";
  const auto near = world_with(on_host(kDirectHalo, "eager")), far = world_with(on_host(0, "eager"));
  using Steps = std::vector<std::string>;
  const auto of = [&](World& on, const std::vector<Steps>& expected) {
    const Grid<2> grid(on, {20, 8 * on.size()}, {.halo = 1, .ranks = {1, on.size()}});
    const Field<double> u(grid, "u"), v(grid, "v");
    const auto out = sweep(Corners{0, -1}, grid.inner(1), reads(u, box(1)), writes(v));
    const auto back = sweep(Into{}, grid.all(), reads(v), updates(u));
    EXPECT_EQ(plans(program(out, swap(u, v)), 3), expected[0]);
    EXPECT_EQ(plans(program(out, back), 2), expected[1]);
    EXPECT_EQ(plans(program(out, call([](long) {})), 2), expected[2]);
  };
  of(*far, {{"xp", "xp", "xp"}, {"xpp", "xpp"}, {"xpc", "pc"}});
  of(*near, {{"xp", "xp", "xp"}, {"xpxp", "xpxp"}, {"xpmc", "pmc"}});
}

TEST(Direct, RefusesWhatItCannotDo) {
  const auto near = world_with(on_host(kDirectHalo, "streamed"));
  World& on = *near;
  EXPECT_EQ(refusal([&] { Grid<1>(on, {64}); }),
            "--halo direct wants a grid of two axes or more; leave it out");
  if (on.size() > 1) {
    EXPECT_EQ(refusal([&] {
                Grid<2>(on, {64, 64}, {.ranks = {on.size(), 1}});
              }),
              "--halo direct wants a grid that is cut along its slowest axis alone, and this one is cut " +
                  std::to_string(on.size()) + "x1; take --ranks 1x" + std::to_string(on.size()) +
                  ", or leave --halo direct out");
  }
  const Grid<2> grid(on, {16, 8 * on.size()});
  const Field<double> u(grid, "u"), v(grid, "v");
  const auto step = program(sweep(Corners{0, -1}, grid.inner(1), reads(u, box(1)), writes(v)), swap(u, v));
  EXPECT_EQ(
      refusal([&] { run(step, {.times = 9}); }),
      "--executor streamed cannot do this program: neighbours read each other's cells where they lie "
      "(--halo direct), and meet at the exchanges of executors that do a sweep at a time; take --executor "
      "auto, or one of the others");
  const auto with_space = world_with([](Settings& s) {
    on_host(kDirectHalo, "eager")(s);
    s.space_size = std::size_t{1} << 32;
  });
  Space space(*with_space);
  const Grid<2> in(*with_space, {16, 8 * on.size()});
  EXPECT_EQ(
      refusal([&] { Field<double>(in, "far", space); }),
      "--halo direct cannot do field 'far': its memory is a space's, where the bands of ranks do not lie "
      "side by side; let it have memory of its own, or leave --halo direct out");
}

TEST(Direct, LeavesAutoTheExecutorsThatMeet) {
  const auto near = world_with(on_host(kDirectHalo, "auto"));
  const Grid<2> grid(*near, {32, 8 * near->size()});
  const Field<double> u(grid, "u"), v(grid, "v");
  const RunReport report = run(
      program(sweep(Corners{0, -1}, grid.inner(1), reads(u, box(1)), writes(v)), swap(u, v)), {.times = 40});
  EXPECT_TRUE(report.executor == "eager" || report.executor == "overlapped" || report.executor == "auto")
      << report.executor;
}

} // namespace
} // namespace tasuki::test
