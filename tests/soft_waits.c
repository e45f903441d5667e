/* Ranks that wait let others have the core. All tests load this before everything else (LD_PRELOAD): they start more ranks than
 * there are cores, beside pytest and compilers. Where such a process has the core, a rank that yields gets its own back when that
 * is done with its turn, milliseconds later, in every wait; one that sleeps gets it when it wakes. So a thread whose yield took long
 * sleeps instead, for a while. On two cores, beside two processes that compute, test_run took 113 s on two ranks, and 28 s so.
 *
 * Open MPI, told so (mpi_yield_when_idle), yields between two looks for messages, as Tasuki does. MPICH over UCX looks without ever
 * letting go: 63 cases took 68 s on three ranks of two cores, and 0.8 s with this. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { kLooks = 20 };           /* of MPICH, in a row that found nothing, before it sleeps */
enum { kPause = 20000 };        /* ns */
enum { kLong = 1000000 };       /* ns: a yield that took so long came back from a process that computes */
enum { kSleepsFor = 50000000 }; /* ns */

static void sleep_a_little(void) {
  static __thread int exact = 0;
  if (!exact) exact = prctl(PR_SET_TIMERSLACK, 1000L) == 0; /* else it wakes 50 us later */
  const struct timespec pause = {0, kPause};
  nanosleep(&pause, NULL);
}

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

int sched_yield(void) {
  static __thread long sleeps_until = 0;
  const long before = now();
  if (before < sleeps_until) {
    sleep_a_little();
    return 0;
  }
  const int status = (int)syscall(SYS_sched_yield);
  const long after = now();
  if (after - before > kLong) sleeps_until = after + kSleepsFor;
  return status;
}

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*next)(void*) = NULL;
  static __thread int idle = 0;
  if (!next) next = (unsigned (*)(void*))dlsym(RTLD_NEXT, "ucp_worker_progress");
  const unsigned done = next(worker);
  if (done) {
    idle = 0;
  } else if (++idle < kLooks) {
    syscall(SYS_sched_yield);
  } else {
    sleep_a_little();
  }
  return done;
}
