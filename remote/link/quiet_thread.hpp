// A thread of a library: it takes none of the signals of the program in which it runs.
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
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(work));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

} // namespace tasuki::remote
