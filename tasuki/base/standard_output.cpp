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

constexpr int kBrokenPipe = 141; // as a shell has it of a process that SIGPIPE ended

// Whether the mpirun that started this process was itself started without a standard output. It gives its ranks one
// all the same, and drops what they print.
bool launcher_is_closed() {
  const std::string parent = "/proc/" + std::to_string(getppid());
  std::string name, word, flags;
  std::ifstream(parent + "/comm") >> name;
  if (name != "mpirun" && name != "mpiexec" && name != "orterun" && name != "prterun") return false;
  std::ifstream info(parent + "/fdinfo/1");
  if (!info.good()) return access((parent + "/fdinfo/2").c_str(), F_OK) == 0; // or nothing of it may be read
  while (info >> word)
    if (word == "flags:" && info >> flags)
      return (parse_digits(flags, 8, "flags") & O_ACCMODE) == O_RDONLY; // a file of its own took the number
  return false;
}

// 0, or why what was printed did not get out.
int fault_of_output() {
  const bool failed = std::ferror(stdout) != 0;
  errno = 0;
  if (std::fflush(stdout) != 0) return errno ? errno : EIO;
  if (failed) return EIO;
  // A file over a network says at a close that its disk is full.
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
      // The lowest free number, so this one. What is opened for reading refuses to be written.
      const int fd = open("/dev/null", number == STDERR_FILENO ? O_WRONLY : O_RDONLY);
      if (fd >= 0 && fd != number) close(fd);
    }
  return std::atexit(look_at_output) == 0;
}

} // namespace

void guard_standard_output() {
  static const bool guarded = guard(); // once a process
  static_cast<void>(guarded);
}

} // namespace tasuki
