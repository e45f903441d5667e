#include <remote/server/gate/confine.hpp>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <vector>

namespace tasuki::remote {

namespace {

#if defined(__x86_64__)
constexpr unsigned architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned architecture = AUDIT_ARCH_AARCH64;
#else
constexpr unsigned architecture = 0; // no filter
#endif
constexpr unsigned other_numbering = 0x40000000; // of x86's 32-bit pointers: the same calls by other numbers

// What the driver calls is not documented, so it keeps all but these.
constexpr unsigned refused[] = {SYS_execve,        SYS_execveat,
                                SYS_ptrace,        SYS_process_vm_readv,
                                SYS_unshare,       SYS_process_vm_writev,
                                SYS_setns,         SYS_mount,
                                SYS_umount2,       SYS_pivot_root,
                                SYS_chroot,        SYS_open_by_handle_at,
                                SYS_bpf,           SYS_perf_event_open,
                                SYS_add_key,       SYS_request_key,
                                SYS_keyctl,        SYS_init_module,
                                SYS_finit_module,  SYS_delete_module,
                                SYS_kexec_load,    SYS_reboot,
                                SYS_swapon,        SYS_swapoff,
                                SYS_acct,          SYS_settimeofday,
                                SYS_clock_settime, SYS_sethostname,
                                SYS_setdomainname};

void filter_calls() {
  constexpr auto word = static_cast<unsigned short>(BPF_LD | BPF_W | BPF_ABS);
  constexpr auto equal = static_cast<unsigned short>(BPF_JMP | BPF_JEQ | BPF_K);
  constexpr auto at_least = static_cast<unsigned short>(BPF_JMP | BPF_JGE | BPF_K);
  constexpr auto answer = static_cast<unsigned short>(BPF_RET | BPF_K);
  const sock_filter denied{answer, 0, 0, SECCOMP_RET_ERRNO | EPERM};
  std::vector<sock_filter> filter{
      {word, 0, 0, offsetof(seccomp_data, arch)}, {equal, 1, 0, architecture},       denied,
      {word, 0, 0, offsetof(seccomp_data, nr)},   {at_least, 0, 1, other_numbering}, denied};
  for (const unsigned call : refused) {
    filter.push_back({equal, 0, 1, call});
    filter.push_back(denied);
  }
  filter.push_back({answer, 0, 0, SECCOMP_RET_ALLOW});
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

} // namespace

void confine() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none); // a core would hold a client's data
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (architecture) filter_calls();
}

} // namespace tasuki::remote
