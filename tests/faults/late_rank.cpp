// late_rank stopped|busy grid|number: the last rank does not come to what all do together, until a signal continues it.
#include <tasuki/base/gather.hpp>
#include <tasuki/field/grid.hpp>

#include <signal.h>

#include <cstdio>
#include <string>
#include <thread>

using namespace tasuki;

namespace {

volatile sig_atomic_t continued = 0;
void go_on(int) { continued = 1; }

} // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 2 ? argv[1] : "", where = argc > 2 ? argv[2] : "";
  World world(argc, argv);
  const Doing now(world, "its own work");
  // Not SIGCONT where it is busy: that is what mpirun sends to all that it ends.
  signal(how == "stopped" ? SIGCONT : SIGUSR2, go_on);
  world.part<Device>();
  if (world.rank() == world.size() - 1) {
    if (how == "stopped") raise(SIGSTOP);
    while (!continued) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  long sum = 0;
  if (where == "grid")
    sum = Grid<2>(world, {32, 32}, {.halo = 1}).core()->all().cells();
  else
    sum = any_rank(world, world.rank() == world.size() - 1) ? 1024 : 0;
  if (world.rank() == 0) std::printf("came: %ld\n", sum);
}
