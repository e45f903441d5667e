#include <remote/server/output.hpp>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdio>

namespace tasuki::remote {

Output::Output(Replies& replies) : replies_(replies) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK)) return; // then the server prints it
  read_ = Descriptor(ends[0]);
  const Descriptor write(ends[1]);
  fcntl(ends[1], F_SETFL, 0); // who prints waits where the pipe is full
  std::fflush(stdout);
  before_ = Descriptor(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  dup2(ends[1], STDOUT_FILENO);
  thread_ = std::thread([this] {
    while (!end_) {
      pollfd there{read_.number(), POLLIN, 0};
      if (poll(&there, 1, 200) > 0) {
        std::lock_guard hold(mutex_);
        pass_on();
      }
    }
  });
}

Output::~Output() {
  end_ = true;
  if (!thread_.joinable()) return;
  std::fflush(stdout);
  dup2(before_.number(), STDOUT_FILENO);
  thread_.join();
}

void Output::flush() {
  if (!read_.there()) return;
  std::fflush(stdout);
  std::lock_guard hold(mutex_);
  pass_on();
}

void Output::pass_on() {
  std::array<char, 65536> text;
  for (;;) {
    const ssize_t bytes = ::read(read_.number(), text.data(), text.size());
    if (bytes <= 0) return;
    try {
      replies_.send(0, answer::Printed{}, Status::success, {text.data(), static_cast<std::size_t>(bytes)});
    } catch (const LinkLost&) {
      // nobody is there to read it
    }
  }
}

} // namespace tasuki::remote
