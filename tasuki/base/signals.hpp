// Handlers for signals that ask a run to stop, and for uncaught errors: installed while a world exists, then restored.
#pragma once

#include <string>

namespace tasuki {

// One per world. The first installs handlers for SIGTERM, SIGINT and SIGUSR1 and the terminate handler; the last
// restores the previous ones, except those that other code has replaced meanwhile.
class Signals {
public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // Whether this process has received a signal since its start. Never reset.
  static bool told();
};

// Prints the line with the prefix `name` on one rank, and ends the run on all ranks with status 1. If several ranks
// call it, rank 0 prints; otherwise a rank of its host, otherwise another one after a delay. A rank that the launcher
// ends meanwhile prints nothing. May be called from any thread. In a child of fork(), which is no rank, it prints the line and ends
// that child alone.
[[noreturn]] void end_run(const std::string& line, const char* name = "tasuki: ");

// Ends all ranks of MPI with `status`, without MPI's own message. What this rank has written reaches the launcher before.
[[noreturn]] void abort_ranks(int status);

} // namespace tasuki
