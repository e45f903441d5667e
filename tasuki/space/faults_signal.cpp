// Faults by mprotect and SIGSEGV: the thread that touched waits in its handler, on a futex, for the one that serves. Works
// everywhere, and leaves the kernel a mapping for each run of pages of one kind, of which there may be vm.max_map_count.
#include <tasuki/space/faults.hpp>
#include <tasuki/space/strays.hpp>

#include <tasuki/base/error.hpp>

#include <linux/futex.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fstream>
#include <mutex>
#include <utility>

namespace tasuki::space {
namespace {

constexpr std::size_t kSlots = 512; // threads that wait at once
constexpr long kSpare = 4096;       // mappings left to libraries and stacks

struct Slot {
  enum : std::uint32_t { open, filling, asked, taken, settled };
  std::atomic<std::uint32_t> state{open};
  std::uint64_t page = 0, byte = 0;
  std::uintptr_t code = 0;
  bool write = false;
};

void sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t while_it_is) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_PRIVATE, while_it_is, nullptr,
          nullptr, 0);
}
void wake_all(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr,
          0);
}

long most_mappings() {
  std::ifstream file("/proc/sys/vm/max_map_count");
  long most = 65530;
  file >> most;
  return most;
}

class Signals : public Faults {
public:
  Signals(const Range& range, Stray stray, bool serves)
      : range_(range),
        serves_(serves),
        calls_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        kinds_(static_cast<char*>(mmap(nullptr, range.pages() + 2, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))),
        strays_(range, std::move(stray),
                serves ? Strays::Serve([this](const void* at, bool write, std::uintptr_t code) {
                  return ask(at, write, code);
                })
                       : Strays::Serve()) {
    if (calls_ < 0 || kinds_ == MAP_FAILED)
      throw Error("faults by signals cannot begin", "raise ulimit -n and -v");
  }
  ~Signals() override {
    close(calls_);
    munmap(kinds_, range_.pages() + 2);
  }
  const char* name() const override { return serves_ ? "signal" : "none"; }
  bool serves() const override { return serves_; }

  void watch(std::uint64_t page, std::uint64_t count) override { change(page, count, 'n', PROT_NONE); }
  void map(std::uint64_t page, std::uint64_t count, bool writable) override {
    change(page, count, writable ? 'w' : 'r', writable ? PROT_READ | PROT_WRITE : PROT_READ);
  }
  void allow(std::uint64_t page, std::uint64_t count) override { map(page, count, true); }
  void protect(std::uint64_t page, std::uint64_t count) override { map(page, count, false); }
  void unmap(std::uint64_t page, std::uint64_t count) override { change(page, count, 'n', PROT_NONE); }
  void forget(std::uint64_t page, std::uint64_t count) override {
    const std::lock_guard lock(mutex_);
    note(page, count, 0);
  }

  std::size_t wait(Touch* touches, std::size_t most) override {
    for (;;) {
      std::size_t count = 0;
      for (std::size_t k = 0; k < kSlots && count < most; ++k) {
        std::uint32_t asked = Slot::asked;
        if (!slots_[k].state.compare_exchange_strong(asked, Slot::taken)) continue;
        // Whoever touches what is readable writes, where the processor does not say.
        const bool writes = !Strays::kTellsWrites && kinds_[slots_[k].page + 1] == 'r';
        touches[count++] = {slots_[k].page, slots_[k].write || writes, slots_[k].byte, static_cast<int>(k),
                            slots_[k].code};
      }
      if (count) return count;
      pollfd one{calls_, POLLIN, 0};
      poll(&one, 1, -1);
      std::uint64_t calls = 0;
      if (read(calls_, &calls, sizeof calls) < 0) continue;
      if (over_) return 0;
    }
  }
  void settle(const Touch& touch) override {
    auto& state = slots_[static_cast<std::size_t>(touch.slot)].state;
    state = Slot::settled;
    wake_all(state);
  }
  void stop() override {
    over_ = true;
    call();
  }

private:
  void call() {
    const std::uint64_t one = 1;
    if (write(calls_, &one, sizeof one) < 0) return;
  }

  // In the handler.
  bool ask(const void* at, bool write, std::uintptr_t code) {
    const std::uint64_t page = range_.page_of(at);
    if (kinds_[page + 1] == 0) return false; // in no array, or this rank's own
    for (;;) {
      for (Slot& slot : slots_) {
        std::uint32_t open = Slot::open;
        if (!slot.state.compare_exchange_strong(open, Slot::filling)) continue;
        slot.page = page;
        slot.byte = static_cast<std::uint64_t>(static_cast<const char*>(at) - range_.view());
        slot.write = write;
        slot.code = code;
        slot.state = Slot::asked;
        call();
        for (std::uint32_t is; (is = slot.state) != Slot::settled;) sleep_on(slot.state, is);
        slot.state = Slot::open;
        return true;
      }
      usleep(50); // more threads than slots
    }
  }

  // Notes the kind of pages and how many mappings the kernel makes of them: one where a page differs from the one before.
  void note(std::uint64_t page, std::uint64_t count, char kind) {
    const auto edges = [&](std::uint64_t first, std::uint64_t end) {
      long all = 0;
      for (std::uint64_t p = first; p <= end; ++p) all += kinds_[p + 1] != kinds_[p];
      return all;
    };
    edges_ -= edges(page, page + count);
    std::memset(kinds_ + page + 1, kind, count);
    edges_ += edges(page, page + count);
  }

  void change(std::uint64_t page, std::uint64_t count, char kind, int protection) {
    const std::lock_guard lock(mutex_);
    note(page, count, kind);
    if (edges_ > most_)
      throw Error("faults by signals have made " + std::to_string(edges_) +
                      " mappings of pages here and there, and "
                      "the system has room for " +
                      std::to_string(most_ + kSpare),
                  "preload sections, take a larger --page, raise vm.max_map_count, or take --faults uffd");
    if (mprotect(range_.view_of(page), count * range_.page_bytes(), protection) != 0)
      throw Error(std::string("pages cannot be protected: ") + std::strerror(errno),
                  "raise vm.max_map_count, or take --faults uffd");
  }

  const Range& range_;
  const bool serves_;
  const int calls_;
  char* const kinds_; // of each page, from place 1: 0 not watched, n none, r readable, w writable
  const long most_ = std::max(1024L, most_mappings() - kSpare);
  long edges_ = 0;
  std::mutex mutex_;
  std::array<Slot, kSlots> slots_;
  std::atomic<bool> over_{false};
  Strays strays_; // the last: it uses the rest
};

} // namespace

std::unique_ptr<Faults> make_faults_signal(const Range& range, Stray stray, bool serves) {
  return std::make_unique<Signals>(range, std::move(stray), serves);
}

} // namespace tasuki::space
