#include <tasuki/base/signals.hpp>

#include <tasuki/base/board.hpp>
#include <tasuki/base/source_error.hpp>

#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <mutex>
#include <new>
#include <thread>

namespace tasuki {
namespace {

constexpr std::array<int, 3> kSignals{SIGTERM, SIGINT, SIGUSR1};

volatile sig_atomic_t stop_requested = 0;
std::mutex owners_mutex;
int owners = 0; // the number of existing worlds
std::array<struct sigaction, 3> found;
std::terminate_handler found_terminate = nullptr;

volatile sig_atomic_t ended_elsewhere = 0;

void request_stop(int) { stop_requested = 1; }
void note_end(int) { ended_elsewhere = 1; }

// Sleeps for `seconds`; false if the launcher ends the run meanwhile, after a message of another host.
bool left_alone(double seconds) {
  struct sigaction action = {};
  action.sa_handler = note_end;
  for (const int number : {SIGCONT, SIGTERM}) sigaction(number, &action, nullptr);
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end && !ended_elsewhere) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return !ended_elsewhere;
}

[[noreturn]] void on_terminate() {
  try {
    if (const auto fault = std::current_exception()) std::rethrow_exception(fault);
  } catch (const SourceError& fault) {
    end_run(fault.what(), "");
  } catch (const std::bad_alloc&) {
    end_run("a rank is out of memory; use a smaller grid or more ranks");
  } catch (const std::exception& fault) {
    end_run(fault.what());
  } catch (...) {}
  end_run("the program ended for an unknown reason; run it under a debugger");
}

} // namespace

Signals::Signals() {
  const std::lock_guard lock(owners_mutex);
  if (owners++ > 0) return;
  struct sigaction action = {};
  action.sa_handler = request_stop;
  action.sa_flags = SA_RESTART;
  for (std::size_t k = 0; k < kSignals.size(); ++k) sigaction(kSignals[k], &action, &found[k]);
  found_terminate = std::set_terminate(on_terminate);
}

Signals::~Signals() {
  const std::lock_guard lock(owners_mutex);
  if (--owners > 0) return;
  for (std::size_t k = 0; k < kSignals.size(); ++k) {
    struct sigaction now = {};
    sigaction(kSignals[k], nullptr, &now);
    if (!(now.sa_flags & SA_SIGINFO) && now.sa_handler == request_stop)
      sigaction(kSignals[k], &found[k], nullptr);
  }
  if (std::get_terminate() == on_terminate) std::set_terminate(found_terminate);
}

bool Signals::told() { return stop_requested != 0; }

// MPI's own message of seven lines would follow ours: for an MPI whose ranks print it, their output is suppressed. Not by
// the world's communicator: for one other than MPI_COMM_WORLD MPICH sends each rank a message and waits until it is
// received, which a stopped rank never does.
void abort_ranks(int status) {
  // The launcher must forward the output before it learns that the run ends.
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size == 1) _exit(status);
  const int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
  MPI_Abort(MPI_COMM_WORLD, status);
  _exit(status);
}

void end_run(const std::string& line, const char* name) {
  static std::atomic<bool> ending{false}; // by another thread of this process
  if (!ending.exchange(true)) {
    Board* const board = Board::current();
    // Not by stdio, whose lock a thread may have that waits for what is lost.
    const auto print = [&] { dprintf(STDERR_FILENO, "\n%s%s\n", name, line.c_str()); };
    if (board && board->own().pid != getpid()) { // a child of fork(): MPI and the board are its parent's
      print();
      _exit(1);
    }
    const MPI_Comm ranks = board ? board->all() : MPI_COMM_WORLD;
    int rank = 0;
    MPI_Comm_rank(ranks, &rank);
    const int host = board ? std::min(board->host(), 20) : 0;
    const double turn = rank == 0 ? 0 : host == 0 ? 0.4 : 1.4 + host;
    if (left_alone(turn) && (!board || board->head().claim.exchange(1) == 0)) {
      print();
      abort_ranks(1);
    }
  }
  std::this_thread::sleep_for(std::chrono::seconds(5)); // the rank that printed ends this process
  _exit(1);
}

} // namespace tasuki
