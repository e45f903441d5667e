// Signals that ask a run to stop, and errors that nobody catches: taken over while a world lives, and given back.
#pragma once

#include <string>

namespace tasuki {

// One a world. The first takes SIGTERM, SIGINT, SIGUSR1 and the terminate handler over; the last puts back what the first
// found, but what somebody else has put there meanwhile stays.
class Signals {
public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // Whether one has come to this process since it began. It stays so.
  static bool told();
};

// Prints the line, behind who says it, on one rank, and ends the run everywhere with status 1. Rank 0 goes first if it has one too, then its
// host, then the others one after another: a launcher that ends the run tells them, and they say nothing more. From any
// thread.
[[noreturn]] void end_run(const std::string& line, const char* name = "tasuki: ");

} // namespace tasuki
