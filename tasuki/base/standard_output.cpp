#include <tasuki/base/standard_output.hpp>

#include <tasuki/base/number.hpp>
#include <tasuki/base/options.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace tasuki {
namespace {

constexpr int kBrokenPipe = 141; // the status that shells report for a process ended by SIGPIPE

// Whether the mpirun that started this process has no standard output. It gives its ranks
// one in any case, and discards their output.
bool launcher_is_closed() {
  const std::string parent = "/proc/" + std::to_string(getppid());
  std::string name, word, flags;
  std::ifstream(parent + "/comm") >> name;
  if (name != "mpirun" && name != "mpiexec" && name != "orterun" && name != "prterun") return false;
  std::ifstream info(parent + "/fdinfo/1");
  if (!info.good()) return access((parent + "/fdinfo/2").c_str(), F_OK) == 0; // otherwise none is readable
  while (info >> word)
    if (word == "flags:" && info >> flags)
      return (parse_digits(flags, 8, "flags") & O_ACCMODE) == O_RDONLY; // a file of mpirun's got the number
  return false;
}

// 0, or the error number of a failed output.
int fault_of_output() {
  const bool failed = std::ferror(stdout) != 0;
  errno = 0;
  if (std::fflush(stdout) != 0) return errno ? errno : EIO;
  if (failed) return EIO;
  // A network file system may report a full disk only at close().
  const int copy = dup(STDOUT_FILENO);
  return copy >= 0 && close(copy) != 0 ? errno : 0;
}

void look_at_output() {
  const int fault = fault_of_output();
  const bool closed = fault == 0 && launcher_rank() == 0 && launcher_is_closed();
  if (fault == 0 && !closed) return;
  if (fault != EPIPE)
    std::fprintf(
        stderr,
        "tasuki: cannot write to standard output: %s; give it a terminal, a pipe or a file with space\n",
        closed ? "that of mpirun is closed" : std::strerror(fault));
  std::fflush(nullptr);
  _exit(fault == EPIPE ? kBrokenPipe : 1);
}

bool guard() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(number, F_GETFD) == -1 && errno == EBADF) {
      // open() takes the lowest free number, which is this one. Writing to a read-only descriptor fails, as intended.
      const int fd = open("/dev/null", number == STDERR_FILENO ? O_WRONLY : O_RDONLY);
      if (fd >= 0 && fd != number) close(fd);
    }
  return std::atexit(look_at_output) == 0;
}

} // namespace

void guard_standard_output() {
  static const bool guarded = guard(); // once per process
  static_cast<void>(guarded);
}

} // namespace tasuki
