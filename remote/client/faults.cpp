#include <remote/client/failure.hpp>
#include <remote/client/faults.hpp>
#include <remote/client/mirrored.hpp>
#include <remote/client/virtual_device.hpp>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <mutex>

#include <ucontext.h>

namespace tasuki::remote {

namespace {

std::mutex mutex;
struct sigaction before; // the program's, or the system's
std::atomic<bool> watching{false};
thread_local bool chained = false; // the program's handler calls the one before it

void handle(int signal, siginfo_t* about, void* context);

bool is_ours(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) && action.sa_sigaction == handle;
}

bool wrote(void* context) {
#if defined(__x86_64__)
  return (static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
  (void)context;
  return true; // not said: then what was read may be sent once more
#endif
}

void pass_on(int signal, siginfo_t* about, void* context) {
  const struct sigaction next = before;
  if (!chained && (next.sa_flags & SA_SIGINFO) && next.sa_sigaction) {
    chained = true;
    next.sa_sigaction(signal, about, context);
    chained = false;
  } else if (!chained && !(next.sa_flags & SA_SIGINFO) && next.sa_handler != SIG_DFL &&
             next.sa_handler != SIG_IGN) {
    chained = true;
    next.sa_handler(signal);
    chained = false;
  } else { // it is touched again at once, and ends the program
    struct sigaction system {};
    system.sa_handler = SIG_DFL;
    sigaction(signal, &system, nullptr);
  }
}

// Not on a stack of its own: it asks a server. What it interrupts is the program's code, which holds no lock of ours.
void handle(int signal, siginfo_t* about, void* context) {
  const int error = errno;
  const auto address = reinterpret_cast<u64>(about->si_addr);
  Mirrored* memory = about->si_code == SEGV_ACCERR ? Mirrored::of(address) : nullptr;
  bool done = false;
  if (memory) {
    try {
      done = memory->touch(address, wrote(context));
    } catch (const std::exception&) {
      std::fprintf(
          stderr,
          "tasuki: memory at %p is at device %d, which has failed: its bytes cannot be had; look at the "
          "errors of calls before it is touched\n",
          about->si_addr, memory->device().index());
    }
  }
  if (!done) pass_on(signal, about, context);
  errno = error;
}

} // namespace

void chain_faults() {
  std::lock_guard hold(mutex);
  struct sigaction now;
  if (!watching || sigaction(SIGSEGV, nullptr, &now) || is_ours(now)) return;
  before = now;
  struct sigaction ours {};
  ours.sa_sigaction = handle;
  ours.sa_flags = SA_SIGINFO | SA_NODEFER; // the program's handler may touch such memory too
  sigemptyset(&ours.sa_mask);
  sigaction(SIGSEGV, &ours, nullptr);
}

void watch_faults() {
  watching = true;
  chain_faults();
}

} // namespace tasuki::remote
