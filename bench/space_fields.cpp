// Seven points on fields, whose memory is a space's, or their own.
#include <bench/space.hpp>
#include <tasuki/base/reduce.hpp>
#include <tasuki/space/field.hpp>
#include <tasuki/tasuki.hpp>

namespace tasuki::bench {
namespace {

struct Begin {
  TS_CELL void operator()(auto c, auto u) const {
    u(c) = static_cast<double>((c[0] * 7 + c[1] * 3 + c[2]) % 11);
  }
};
struct Heat {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    v(c) = 0.4 * u(c) + 0.1 * (u(c, 1, 0, 0) + u(c, -1, 0, 0) + u(c, 0, 1, 0) + u(c, 0, -1, 0) +
                               u(c, 0, 0, 1) + u(c, 0, 0, -1));
  }
};

Times seconds_a_step(World& world, const Grid<3>& grid, Field<double>& u, Field<double>& v, long steps) {
  run(sweep(Begin{}, grid.all(), writes(u)));
  const auto program = tasuki::program(sweep(Heat{}, grid.inner(1), reads(u), writes(v)), swap(u, v));
  run(program, {.times = steps}); // chooses, and sets its exchanges up
  std::vector<double> all;
  for (int k = 0; k < 5; ++k) {
    MPI_Barrier(world.comm());
    all.push_back(reduce_max(world, seconds_of([&] { run(program, {.times = steps}); })) /
                  static_cast<double>(steps));
  }
  return times_of(all);
}

} // namespace

void fields(Space& space, long cells, long steps, const Keep& keep) {
  World& world = space.world();
  const Grid<3> grid(world, {cells, cells, cells});
  Times theirs, own;
  {
    Field<double> u(grid, "u"), v(grid, "v");
    own = seconds_a_step(world, grid, u, v, steps);
  }
  {
    auto u = space.field<double>(grid, "u"), v = space.field<double>(grid, "v");
    theirs = seconds_a_step(world, grid, u, v, steps);
  }
  if (world.rank() == 0) keep({"a step of fields in the space", theirs, "fields outside", own});
}

} // namespace tasuki::bench
