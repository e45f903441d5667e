// A film for ParaView: a state every 50 steps, each a file with a description beside it that ParaView opens.
//
//   mpirun -n 4 ./paraview          leaves film-0000.h5, film-0000.xmf, film-0050.h5 ..: open the .xmf files as a group
//
// A drop falls into a basin and its rings run round the ends.
#include <tasuki/tasuki.hpp>

#include <cstdio>
namespace ts = tasuki;

constexpr long kSide = 160, kSteps = 200, kEvery = 50;

struct Drop {
  TS_CELL void operator()(auto c, auto height, auto before) const {
    const double x = c[0] - 50.0, y = c[1] - 70.0;
    const double h = exp(-(x * x + y * y) / 40);
    height(c) = h;
    before(c) = h;
  }
};

struct Step {
  TS_CELL void operator()(auto c, auto height, auto before) const {
    const double around = height(c, -1, 0) + height(c, 1, 0) + height(c, 0, -1) + height(c, 0, 1);
    before(c) = 2 * height(c) - before(c) + 0.25 * (around - 4 * height(c));
  }
};

int main(int argc, char** argv) {
  ts::World world(argc, argv);
  ts::Grid<2> grid(world, {kSide, kSide}, {.halo = 1, .periodic = true});
  ts::Field<double> height(grid, "height"), before(grid, "before");
  int files = 0;
  const auto save = [&](long step) {
    char name[32];
    std::snprintf(name, sizeof name, "film-%04ld.h5", step);
    ts::snapshot(name, step, height);
    ++files;
  };

  ts::run(ts::sweep(Drop{}, grid.all(), ts::writes(height), ts::writes(before)));
  save(0);
  const auto step = ts::sweep(Step{}, grid.all(), ts::reads(height, ts::star(1)), ts::updates(before));
  ts::run(ts::program(step, ts::swap(height, before), ts::every(kEvery, ts::call(save))), {.times = kSteps});
  if (world.rank() == 0) std::printf("%d files, film-0000.xmf to film-%04ld.xmf\n", files, kSteps);
  return files == kSteps / kEvery + 1 ? 0 : 1;
}
