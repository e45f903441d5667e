// Goes on from the checkpoint that is there, after checking each of its values, and writes checkpoint after
// checkpoint. The scripts beside it kill it, and start it again on other numbers of ranks.
//
//   checkpoint_loop FILE EXTENTS TIMES
#include <tasuki/base/settings.hpp>
#include <tasuki/file/checkpoint.hpp>

#include <unistd.h>

#include <complex>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace tasuki;

// What component k of a global cell (counted x fastest) holds at a step.
double value(long cell, int k, long step) { return static_cast<double>(cell * 8 + k) + 1000003.0 * step; }

// Calls visit(place in a block's values, global cell) for each cell that this rank owns.
template <class Visit>
void for_owned(const GridCore& grid, const Visit& visit) {
  const Box owned = grid.owned();
  Index at = owned.lo;
  for (long i = 0; i < owned.cells(); ++i) {
    long cell = 0;
    for (int a = grid.dims() - 1; a >= 0; --a) cell = cell * grid.extents()[a] + at[a];
    visit(i, cell);
    for (int a = 0; a < grid.dims() && ++at[a] == owned.hi[a]; ++a) at[a] = owned.lo[a];
  }
}

template <int D>
int run(World& world, const std::string& path, const std::vector<long>& extents, long times) {
  std::array<long, D> size{};
  for (int a = 0; a < D; ++a) size[a] = extents[a];
  Grid<D> grid(world, size);
  Field<double> u(grid, "u");
  Field<std::complex<float>[2]> w(grid, "w");
  const long cells = grid.core()->owned().cells();

  long step = 0;
  if (access(path.c_str(), F_OK) == 0) {
    step = restore(path, u, w).step;
    const auto a = u.to_host();
    const auto b = w.to_host();
    long wrong = 0;
    for_owned(*grid.core(), [&](long i, long cell) {
      if (a[i] != value(cell, 0, step)) ++wrong;
      for (int k = 0; k < 2; ++k)
        if (b[k * cells + i] != std::complex<float>(static_cast<float>(value(cell, k, step)), 1)) ++wrong;
    });
    if (wrong)
      throw Error(std::to_string(wrong) + " cells of step " + std::to_string(step) + " are wrong",
                  "look why");
    if (world.rank() == 0) std::printf("restored %ld\n", step);
  }
  MPI_Barrier(world.comm());
  std::printf("pid %d\n", static_cast<int>(getpid()));
  std::fflush(stdout);

  std::vector<double> a(cells);
  std::vector<std::complex<float>> b(2 * cells);
  for (const long last = step + times; step < last;) {
    ++step;
    for_owned(*grid.core(), [&](long i, long cell) {
      a[i] = value(cell, 0, step);
      for (int k = 0; k < 2; ++k) b[k * cells + i] = {static_cast<float>(value(cell, k, step)), 1};
    });
    u.from_host(a);
    w.from_host(b);
    checkpoint(path, step, u, w);
    if (world.rank() != 0) continue;
    std::printf("wrote %ld\n", step);
    std::fflush(stdout);
  }
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  World world(argc, argv);
  if (argc != 4) throw Error("checkpoint_loop takes three arguments", "give FILE EXTENTS TIMES");
  const std::vector<long> extents = parse_extents(argv[2], "EXTENTS");
  const long times = std::atol(argv[3]);
  switch (extents.size()) {
    case 1: return run<1>(world, argv[1], extents, times);
    case 2: return run<2>(world, argv[1], extents, times);
    case 3: return run<3>(world, argv[1], extents, times);
    case 4: return run<4>(world, argv[1], extents, times);
    default: throw Error("EXTENTS has too many axes", "give one to four");
  }
}
