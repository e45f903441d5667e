#include <remote/server/gate/children.hpp>

#include <malloc.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <new>

namespace tasuki::remote {

namespace {

void close_from_to(unsigned first, unsigned last) {
  if (first <= last) syscall(SYS_close_range, first, last, 0);
}

void close_all_but(unsigned a, unsigned b) {
  if (a > b) std::swap(a, b);
  close_from_to(3, a - 1);
  close_from_to(a + 1, b - 1);
  close_from_to(b + 1, ~0u);
}

} // namespace

Tallies::Tallies()
    : memory_(
          mmap(nullptr, kMost * sizeof(Tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
  if (memory_ == MAP_FAILED) throw Error("no memory for the gate's tallies", "free some");
  Tally* all = static_cast<Tally*>(memory_);
  for (std::size_t i = kMost; i > 0; --i) free_.push_back(new (all + i - 1) Tally);
}
Tallies::~Tallies() { munmap(memory_, kMost * sizeof(Tally)); }

Tally* Tallies::take() {
  if (free_.empty()) return nullptr;
  Tally* tally = free_.back();
  free_.pop_back();
  return new (tally) Tally;
}

Started start_child(Visitor visitor, const Serve& serve) {
  int both[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) != 0) return {};
  Descriptor here(both[0]), there(both[1]);
  std::fflush(nullptr); // or both would print what is in the buffers
  const pid_t gate = getpid(), process = fork();
  if (process < 0) return {};
  if (process > 0) return {process, std::move(here)};
  // A gate that starts again knows nothing of the old one's workers, so they end with it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != gate) _exit(1);
  for (const int signal : {SIGTERM, SIGINT, SIGCHLD}) ::signal(signal, SIG_DFL);
  prctl(PR_SET_NAME, "tasuki-worker");
  // An arena of a thread's own would lie, by chance, before or behind what the driver maps: device/driver_places.hpp.
  mallopt(M_ARENA_MAX, 1);
  visitor.gate = std::move(there);
  close_all_but(static_cast<unsigned>(visitor.socket.number()), static_cast<unsigned>(visitor.gate.number()));
  const int status = receive(visitor, serve);
  std::fflush(nullptr);
  _exit(status); // nothing of the gate's is destroyed twice
}

} // namespace tasuki::remote
