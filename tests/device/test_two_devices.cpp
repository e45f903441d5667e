// A host's device beside the world's own: grids on both, exchanges, sums and scalars of their own, in one program, with the
// same bits. Where the world's own is a GPU the two differ in kind; else they are two of the host.
#include <tasuki/field/copy_field.hpp>
#include <tasuki/halo/exchange.hpp>
#include <tasuki/run/run.hpp>
#include <tests/checks.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

namespace tasuki {
namespace {

using test::refusal;
using test::same_bits;
using test::world;

TEST(TwoDevices, AreApart) {
  Device &own = world().part<Device>(), &host = Device::host(world());
  EXPECT_NE(&own, &host);
  EXPECT_EQ(&Device::host(world()), &host);
  EXPECT_EQ(host.kind(), DeviceKind::host);
  EXPECT_TRUE(host.beside());
  EXPECT_FALSE(own.beside());
  EXPECT_NE(&own.stream(), &host.stream());
  EXPECT_NE(&own.part<Links>(), &host.part<Links>());
  EXPECT_NE(&tuning(own), &tuning(host));
  EXPECT_EQ(&tuning(own), &tuning(world()));
  EXPECT_EQ(tuning(host).json(), Tuning::load(host).json());
  for (int r = 0; r < world().node_size(); ++r) EXPECT_TRUE(host.reaches(r));
  const Grid<1> grid(world(), {16L * world().size()}),
      far(world(), {16L * world().size()}, {.device = &host});
  EXPECT_EQ(&grid.core()->device(), &own);
  EXPECT_EQ(&far.core()->device(), &host);
}

// ---- The same program on either, their steps in turn ----

struct Begin {
  TS_CELL void operator()(auto c, auto u) const {
    u(c) = static_cast<double>((c[0] * 7 + c[1] * 13) % 11) / 11.0;
  }
};
struct Mix {
  TS_CELL void operator()(auto c, auto u, auto s, auto v, auto total) const {
    v(c) = 0.25 * (u(c, 1, 0) + u(c, -1, 0) + u(c, 0, 1) * u(c, 0, -1)) + 0.125 * u(c, 1, -1) -
           0.0625 * u(c, -1, 1) + 0.001 * s[0];
    total(c, v(c));
  }
};
struct Mean {
  TS_CELL void operator()(double* s, double total) const {
    s[0] = total / 1073.0;
    s[1] += 1;
  }
};

struct Mixture {
  Mixture(World& world, Device& device)
      : grid(world, {37, 29}, {.halo = 1, .periodic = true, .device = &device}),
        u(grid, "u"),
        v(grid, "v"),
        total(device, "total"),
        s(device, "s"),
        steps(program(sweep(Mix{}, grid.all(), reads(u, box(1)), uses(s), writes(v), reduces(total)),
                      settle(Mean{}, s, total), swap(u, v))) {
    run(sweep(Begin{}, grid.all(), writes(u)));
  }
  Grid<2> grid;
  Field<double> u, v;
  Sum<double> total;
  Scalars<2> s;
  Program steps;
};

TEST(TwoDevices, RunOneProgramWithTheSameBits) {
  for (const char* executor : {"eager", "overlapped", "resident", "auto"})
    for (const char* channel : {"", "mpi", "peer", "peer:pack", "x=peer,y=mpi"}) {
      const std::string name = executor, ways = channel;
      if (world().nodes() > 1 && ways.find("peer") != std::string::npos) continue;
      if (name == "resident" && test::device().cuda()) continue; // it does no program with settlements there
      const auto made = test::world_with([&](Settings& s) {
        s.executor = executor;
        s.channel = channel;
        s.sums = "exact";
        s.halo = 0;
        s.ranks.clear();
      });
      SCOPED_TRACE("--executor " + name + " --channel '" + ways + "'");
      Mixture own(*made, made->part<Device>()), host(*made, Device::host(*made));
      Mixture alone(*made, made->part<Device>());
      run(alone.steps, {.times = 9});
      for (const int times : {1, 3, 5}) { // turn about
        run(own.steps, {.times = times});
        run(host.steps, {.times = times});
      }
      for (const Mixture* one : {&own, &host}) {
        EXPECT_TRUE(same_bits(one->u.gather(), alone.u.gather()));
        EXPECT_EQ(one->total.value(), alone.total.value());
        EXPECT_EQ(one->s.value(), alone.s.value());
        EXPECT_EQ(one->s.value()[1], 9.0);
      }
    }
}

// ---- Exchanges of both under way at once ----

TEST(TwoDevices, HaveExchangesOfTheirOwn) {
  Device &own = world().part<Device>(), &host = Device::host(world());
  const auto values = [&](const Grid<2>& grid, int add) {
    std::vector<int> list;
    const Box owned = grid.core()->owned();
    for (long y = owned.lo[1]; y < owned.hi[1]; ++y)
      for (long x = owned.lo[0]; x < owned.hi[0]; ++x) list.push_back(static_cast<int>(x + 100 * y) + add);
    return list;
  };
  const std::array<long, 2> extents{8, 6L * world().size()};
  Grid<2> near(world(), extents, {.halo = 1, .periodic = true}),
      far(world(), extents, {.halo = 1, .periodic = true, .device = &host});
  Field<int> u(near, "u"), w(far, "w");
  const auto need = [](const Field<int>& field) {
    return std::vector<HaloNeed>{{field.core(), {field.core()->grid().halo(), 2}}};
  };
  Exchange of_u(need(u)), of_w(need(w));
  for (const int add : {0, 5000, 10000}) {
    u.from_host(values(near, add));
    w.from_host(values(far, -add));
    of_u.start(own.stream());
    of_w.start(host.stream());
    of_w.wrap(host.stream());
    of_u.wrap(own.stream());
    of_w.finish(host.stream());
    of_u.finish(own.stream());
    const auto halo_is = [&](const Field<int>& field, int plus) {
      const GridCore& grid = field.core()->grid();
      const Layout& layout = grid.layout();
      grid.device().stream().synchronize();
      for (const long y : {-1L, 0L, layout.extents[1]}) { // corners among them
        int got = 0;
        copy_to_host(grid.device(), &got, field.data() - field.stride(0) + y * field.stride(1), sizeof got);
        const long gx = (grid.owned().lo[0] - 1 + extents[0]) % extents[0],
                   gy = (grid.owned().lo[1] + y + extents[1]) % extents[1];
        EXPECT_EQ(got, static_cast<int>(gx + 100 * gy) + plus) << "row " << y;
      }
    };
    halo_is(u, add);
    halo_is(w, -add);
  }
}

// ---- What is refused ----

TEST(TwoDevices, AreNotMixedInASweep) {
  Device& host = Device::host(world());
  Grid<2> near(world(), {8, 6L * world().size()});
  Field<double> u(near, "u"), v(near, "v");
  Sum<double> mine(world(), "mine"), beside(host, "beside");
  Scalars<2> s(world(), "s"), t(host, "t");
  EXPECT_EQ(refusal([&] { sweep(Mix{}, near.all(), reads(u, box(1)), uses(s), writes(v), reduces(beside)); }),
            "sweep 'Mix' runs on another device than 'beside' lies on; make it for the device of the "
            "sweep's grid, as in Sum<double>(Device::host(world), \"beside\")");
  EXPECT_NE(refusal([&] { sweep(Mix{}, near.all(), reads(u, box(1)), uses(t), writes(v), reduces(mine)); }),
            "");
  EXPECT_EQ(refusal([&] { settle(Mean{}, s, beside); }),
            "settlement 'Mean' has 'beside' on another device than its scalars; make its scalars and "
            "reductions for one device");
  const auto other = test::world_with([](Settings&) {});
  EXPECT_EQ(refusal([&] { Grid<1>(*other, {16L * world().size()}, {.device = &host}); }),
            "a grid was given a device of another world; give one of its own, as Device::host(world)");
}

TEST(TwoDevices, AreTheSameOnAllRanks) {
  if (world().size() == 1) return;
  Device& host = Device::host(world());
  const std::string said = refusal(
      [&] { Grid<1>(world(), {16L * world().size()}, {.device = world().rank() == 1 ? &host : nullptr}); });
  EXPECT_NE(said.find("the host's beside its own"), std::string::npos) << said;
}

} // namespace
} // namespace tasuki
