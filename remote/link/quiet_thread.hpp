// A thread of a library: it takes none of the signals of the program in which it runs, but those of its own faults, which tell
// that it has touched memory that host and device share.
//
//   std::thread reader = quiet_thread([this] { read(); });
#pragma once

#include <pthread.h>
#include <signal.h>

#include <thread>
#include <utility>

namespace tasuki::remote {

template <class Work>
std::thread quiet_thread(Work work) {
  sigset_t all, before;
  sigfillset(&all);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigdelset(&all, fault);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(work));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

} // namespace tasuki::remote
