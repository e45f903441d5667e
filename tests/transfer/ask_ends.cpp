// Ends of ranks that lend to each other as if on nodes of their own: ask_ends CASE, expected to fail with a line.
#include <tasuki/base/reduce.hpp>
#include <tasuki/transfer/ask.hpp>

#include <signal.h>
#include <unistd.h>

#include <memory>
#include <string>

using namespace tasuki;

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  std::unique_ptr<Ticket> kept; // outlives the world
  Settings settings = parse_settings(1, argv);
  settings.device = "host";
  if (what == "single") { // the program starts MPI, and calls it from its own thread alone
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    World world(argc, argv, settings);
    Loan shared(world, "shared", 8); // what shares memory needs no messages
    shared.add(0, 0, 1L).wait();
    barrier(world);
  }
  settings.subclusters = 2;
  World split(argc, argv, settings);
  Loan loan(split, "weights", 8);
  long number = 0;
  if (what == "dies") { // the owner, whom nobody else waits for
    if (split.rank() == 1) raise(SIGKILL);
    for (;;) loan.get(1, 0, &number, 8).wait();
  }
  if (what == "stops") { // the lookout names it
    if (split.rank() == 1) raise(SIGSTOP);
    for (;;) loan.get(1, 0, &number, 8).wait();
  }
  if (what == "outstanding" && split.rank() == 0) kept = std::make_unique<Ticket>(loan.get(1, 0, &number, 8));
  if (what == "refused" && split.rank() == 0) (void)loan.get(1, 8, &number, 8); // nobody waits for it
}
