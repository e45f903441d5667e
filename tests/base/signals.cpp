// A world ends, and signals and uncaught errors go where they went before; one that ends while another lives changes
// nothing. A program of its own, since the tests' own world lives as long as they do.
#include <tasuki/base/world.hpp>

#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>

using namespace tasuki;

namespace {

int calls = 0;

void own_handler(int) { ++calls; }
void own_detailed_handler(int, siginfo_t*, void*) { ++calls; }
[[noreturn]] void own_terminate() { std::_Exit(3); }

int faults = 0;
void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "it does not hold: %s\n", what);
  ++faults;
}

struct sigaction now(int number) {
  struct sigaction action = {};
  sigaction(number, nullptr, &action);
  return action;
}

} // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  struct sigaction plain = {}, detailed = {};
  plain.sa_handler = own_handler;
  sigaddset(&plain.sa_mask, SIGUSR2);
  detailed.sa_sigaction = own_detailed_handler;
  detailed.sa_flags = SA_SIGINFO;
  sigaction(SIGTERM, &plain, nullptr);
  sigaction(SIGINT, &detailed, nullptr);
  signal(SIGUSR1, SIG_IGN);
  std::set_terminate(own_terminate);

  auto first = std::make_unique<World>(argc, argv);
  for (const int number : {SIGTERM, SIGINT, SIGUSR1})
    expect(now(number).sa_handler != SIG_IGN && now(number).sa_handler != own_handler,
           "a world takes signals over");
  expect(std::get_terminate() != own_terminate, "a world takes uncaught errors over");
  auto second = std::make_unique<World>(argc, argv);
  second.reset();
  expect(now(SIGTERM).sa_handler != SIG_DFL && now(SIGTERM).sa_handler != own_handler,
         "signals stay with a world when another ends");
  second = std::make_unique<World>(argc, argv);
  first.reset(); // not the last that was made
  expect(now(SIGTERM).sa_handler != own_handler, "signals stay with the world that is left");
  raise(SIGUSR1);
  expect(second->interrupted(), "a signal is heard by the world that is left");
  second.reset();

  const struct sigaction term = now(SIGTERM);
  expect(term.sa_handler == own_handler && sigismember(&term.sa_mask, SIGUSR2) == 1,
         "SIGTERM is given back, with its mask");
  expect((now(SIGINT).sa_flags & SA_SIGINFO) != 0 && now(SIGINT).sa_sigaction == own_detailed_handler,
         "SIGINT is given back, with its details");
  expect(now(SIGUSR1).sa_handler == SIG_IGN, "SIGUSR1 is ignored again");
  expect(std::get_terminate() == own_terminate, "uncaught errors are given back");
  raise(SIGTERM);
  raise(SIGINT);
  raise(SIGUSR1);
  expect(calls == 2, "the program's own handlers are called");

  {
    World third(argc, argv);
    signal(SIGINT, SIG_IGN); // by the program, while the world lives
  }
  expect(now(SIGINT).sa_handler == SIG_IGN, "what the program has put there meanwhile stays");
  MPI_Finalize();
  return faults != 0;
}
