// Faults by Linux's userfaultfd: the kernel keeps the thread that touched, and an event comes to the one that serves. No
// signal, so handlers of other libraries stay as they are.
//
// Pages are of the file that the range is mapped from, and minor faults say that one is in the file but not in the view: bytes
// arrive through the alias, then UFFDIO_CONTINUE shows all of them at once. Needs Linux 6.4, whose CONTINUE maps a page
// write-protected in one act: with two, a thread could write between them and nobody would know.
#include <tasuki/space/faults.hpp>
#include <tasuki/space/strays.hpp>

#include <tasuki/base/error.hpp>

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <ios>
#include <string>
#include <utility>

namespace tasuki::space {
namespace {

constexpr std::uint64_t kProtected = std::uint64_t{1} << 1; // UFFDIO_CONTINUE_MODE_WP, of newer headers

// A descriptor with what the space needs, -1 and errno where the system has it not.
int open_uffd() {
  const long file = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
  if (file < 0) return -1;
  uffdio_api api{};
  api.api = UFFD_API;
  api.features = UFFD_FEATURE_MISSING_SHMEM | UFFD_FEATURE_MINOR_SHMEM | UFFD_FEATURE_WP_HUGETLBFS_SHMEM |
                 UFFD_FEATURE_THREAD_ID;
  if (ioctl(static_cast<int>(file), UFFDIO_API, &api) != 0) {
    const int fault = errno;
    close(static_cast<int>(file));
    errno = fault;
    return -1;
  }
  return static_cast<int>(file);
}

bool enlist(int file, char* at, std::size_t bytes) {
  uffdio_register all{};
  all.range = {reinterpret_cast<std::uintptr_t>(at), bytes};
  all.mode = UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_MINOR | UFFDIO_REGISTER_MODE_WP;
  return ioctl(file, UFFDIO_REGISTER, &all) == 0;
}

// Maps what is not mapped yet. Stops at what is, and goes on behind it.
bool show(int file, char* at, std::size_t bytes, bool writable, std::size_t system) {
  for (std::size_t done = 0; done < bytes;) {
    uffdio_continue act{};
    act.range = {reinterpret_cast<std::uintptr_t>(at) + done, bytes - done};
    act.mode = writable ? 0 : kProtected;
    if (ioctl(file, UFFDIO_CONTINUE, &act) == 0) return true;
    const int fault = errno;
    if (act.mapped > 0) done += static_cast<std::size_t>(act.mapped);
    if (fault == EEXIST)
      done += act.mapped > 0 ? 0 : system;
    else if (fault != EAGAIN)
      return false;
  }
  return true;
}

// Where a thread of this process stands that the kernel keeps in a fault: 0 where it does not say.
std::uintptr_t code_of(std::uint32_t thread) {
  std::ifstream from("/proc/self/task/" + std::to_string(thread) +
                     "/syscall"); // "-1 0x7ffc.. 0x55d0..": no call, sp, pc
  std::string call, stack;
  std::uintptr_t code = 0;
  return from >> call >> stack >> std::hex >> code && call == "-1" ? code : 0;
}

void wake(int file, char* at, std::size_t bytes) {
  uffdio_range range{reinterpret_cast<std::uintptr_t>(at), bytes};
  ioctl(file, UFFDIO_WAKE, &range);
}

class Uffd : public Faults {
public:
  Uffd(const Range& range, Stray stray)
      : range_(range),
        file_(open_uffd()),
        over_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        strays_(range, std::move(stray)) {
    if (file_ < 0 || over_ < 0)
      throw Error(std::string("userfaultfd is gone: ") + std::strerror(errno), "take --faults signal");
  }
  ~Uffd() override {
    close(file_);
    close(over_);
  }
  const char* name() const override { return "uffd"; }

  void watch(std::uint64_t page, std::uint64_t count) override {
    if (!enlist(file_, range_.view_of(page), count * range_.page_bytes()))
      throw Error(std::string("userfaultfd does not take an array: ") + std::strerror(errno),
                  "take --faults signal, or raise vm.max_map_count");
  }
  void map(std::uint64_t page, std::uint64_t count, bool writable) override {
    if (!show(file_, range_.view_of(page), count * range_.page_bytes(), writable, system_))
      refuse("show", page);
  }
  void allow(std::uint64_t page, std::uint64_t count) override { write_protect(page, count, 0); }
  void protect(std::uint64_t page, std::uint64_t count) override {
    write_protect(page, count, UFFDIO_WRITEPROTECT_MODE_WP);
  }
  void unmap(std::uint64_t page, std::uint64_t count) override {
    madvise(range_.view_of(page), count * range_.page_bytes(), MADV_DONTNEED);
  }

  std::size_t wait(Touch* touches, std::size_t most) override {
    for (;;) {
      std::array<uffd_msg, 32> events;
      const ssize_t got = read(file_, events.data(), std::min(most, events.size()) * sizeof(uffd_msg));
      std::size_t count = 0;
      for (std::size_t k = 0; got > 0 && k < static_cast<std::size_t>(got) / sizeof(uffd_msg); ++k) {
        if (events[k].event != UFFD_EVENT_PAGEFAULT) continue;
        const auto& fault = events[k].arg.pagefault;
        const auto* at = reinterpret_cast<const char*>(fault.address);
        touches[count].page = range_.page_of(at);
        touches[count].byte = static_cast<std::uint64_t>(at - range_.view());
        touches[count].write = fault.flags & (UFFD_PAGEFAULT_FLAG_WRITE | UFFD_PAGEFAULT_FLAG_WP);
        touches[count].code = tells_ ? code_of(fault.feat.ptid) : 0;
        touches[count++].slot = -1;
      }
      if (count) return count;
      std::array<pollfd, 2> both{pollfd{file_, POLLIN, 0}, pollfd{over_, POLLIN, 0}};
      poll(both.data(), both.size(), -1);
      if (both[1].revents) return 0;
    }
  }
  void settle(const Touch& touch) override { wake(file_, range_.view_of(touch.page), range_.page_bytes()); }
  void tell_code() override { tells_ = true; }
  void stop() override {
    const std::uint64_t one = 1;
    if (write(over_, &one, sizeof one) < 0) return;
  }

private:
  void write_protect(std::uint64_t page, std::uint64_t count, std::uint64_t mode) {
    uffdio_writeprotect act{};
    act.range = {reinterpret_cast<std::uintptr_t>(range_.view_of(page)), count * range_.page_bytes()};
    act.mode = mode;
    while (ioctl(file_, UFFDIO_WRITEPROTECT, &act) != 0)
      if (errno != EAGAIN) refuse("protect", page);
  }
  [[noreturn]] void refuse(const char* what, std::uint64_t page) const {
    throw Error(std::string("userfaultfd does not ") + what + " page " + std::to_string(page) + ": " +
                    std::strerror(errno),
                "see whether the machine is out of memory, or take --faults signal");
  }

  const Range& range_;
  const std::size_t system_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  int file_, over_;
  std::atomic<bool> tells_{false};
  Strays strays_;
};

} // namespace

std::string uffd_refusal() {
  const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const int uffd = open_uffd();
  if (uffd < 0)
    return errno == EPERM || errno == ENOSYS ? "the system refuses it"
                                             : "the kernel is too old (6.4 is needed)";
  const int file = memfd_create("tasuki-try", MFD_CLOEXEC);
  bool serves = file >= 0 && ftruncate(file, static_cast<off_t>(2 * bytes)) == 0;
  std::array<char*, 2> at{};
  for (char*& one : at) {
    void* got = serves ? mmap(nullptr, 2 * bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    serves = got != MAP_FAILED;
    one = serves ? static_cast<char*>(got) : nullptr;
  }
  if (serves) {
    at[1][0] = at[1][bytes] = 1;
    serves = enlist(uffd, at[0], 2 * bytes) && show(uffd, at[0], bytes, false, bytes) &&
             show(uffd, at[0] + bytes, bytes, true, bytes) && at[0][0] == 1;
  }
  for (char* one : at)
    if (one) munmap(one, 2 * bytes);
  if (file >= 0) close(file);
  close(uffd);
  return serves ? "" : "the kernel is too old (6.4 is needed)";
}

std::unique_ptr<Faults> make_faults_uffd(const Range& range, Stray stray) {
  return std::make_unique<Uffd>(range, std::move(stray));
}

} // namespace tasuki::space
