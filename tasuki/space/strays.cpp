#include <tasuki/space/strays.hpp>

#include <tasuki/base/error.hpp>
#include <tasuki/base/signals.hpp>

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <utility>

namespace tasuki::space {

struct Strays::Entry {
  std::atomic<bool> used{false};
  const char* first = nullptr;
  const char* end = nullptr;
  pid_t process = 0;
  Stray stray;
  Serve serve;
};

namespace {

std::array<Strays::Entry, 16> entries;
std::mutex entries_mutex;
int watched = 0;
struct sigaction before;

bool is_write([[maybe_unused]] void* context) {
#if defined(__x86_64__) // bit 1 of the processor's error code
  return static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & 2;
#else
  return false; // a read first; a touch of what is readable already is a write
#endif
}

std::uintptr_t code_of([[maybe_unused]] void* context) {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return static_cast<ucontext_t*>(context)->uc_mcontext.pc;
#else
  return 0;
#endif
}

void pass_on(int signal, siginfo_t* info, void* context, bool sent) {
  if (before.sa_flags & SA_SIGINFO) {
    before.sa_sigaction(signal, info, context);
  } else if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) {
    if (sent && before.sa_handler == SIG_IGN) return;
    ::signal(signal, SIG_DFL);
    if (sent) ::raise(signal); // another happens again
  } else {
    before.sa_handler(signal);
  }
}

void handle(int signal, siginfo_t* info, void* context) {
  const int kept = errno;
  const auto* at = static_cast<const char*>(info->si_addr);
  const bool sent = info->si_code <= 0; // by kill() and its kind: there is no address
  for (Strays::Entry& entry : entries) {
    if (sent || !entry.used.load(std::memory_order_acquire) || at < entry.first || at >= entry.end) continue;
    // Pages are its parent's, and so is whoever would serve it.
    if (entry.process != getpid())
      end_run(
          "a child of fork() touched a shared array, and has none: a forked child is no rank; "
          "copy what it needs to other memory before fork()");
    const bool write = is_write(context);
    if (!entry.serve || !entry.serve(at, write, code_of(context))) end_run(entry.stray(at, write));
    errno = kept;
    return;
  }
  errno = kept;
  pass_on(signal, info, context, sent);
}

} // namespace

Strays::Strays(const Range& range, Stray stray, Serve serve) : entry_(nullptr) {
  const std::lock_guard lock(entries_mutex);
  for (Entry& entry : entries) {
    if (entry.used) continue;
    entry_ = &entry;
    break;
  }
  if (!entry_) throw Error("a process has 16 spaces", "end some before making another");
  entry_->first = range.view();
  entry_->end = range.view() + range.size();
  entry_->process = getpid();
  entry_->stray = std::move(stray);
  entry_->serve = std::move(serve);
  entry_->used.store(true, std::memory_order_release);
  if (watched++) return;
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &before);
}

Strays::~Strays() {
  const std::lock_guard lock(entries_mutex);
  entry_->used = false;
  entry_->stray = {};
  entry_->serve = {};
  if (--watched) return;
  struct sigaction now = {};
  sigaction(SIGSEGV, nullptr, &now);
  if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == handle) sigaction(SIGSEGV, &before, nullptr);
}

} // namespace tasuki::space
