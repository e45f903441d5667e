// A gate in a process of its own, with devices that are none: a worker echoes, tells its process, or hangs.
#pragma once

#include <remote/link/unix.hpp>
#include <remote/server/admissions.hpp>
#include <remote/server/gate/gate.hpp>
#include <remote/server/gate/keep.hpp>
#include <remote/server/visit/greeting.hpp>

#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>

#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "../link/ends.hpp"

namespace tasuki::remote {

constexpr auto kLong = std::chrono::seconds(120); // on a machine that is busy with other things

inline bool comes_true(const std::function<bool()>& what) { // far more than it takes; a hang ends
  for (int i = 0; i < 2000; ++i) {
    if (what()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

inline bool is_there(int process) { return kill(process, 0) == 0; }

// The first letter says what the worker does: e echoes on, p tells its process, h hangs, m tells its memory, x tells the errors
// of what it must not do; a expects another worker by the secret that follows, l tells the letter that it has brought.
inline int serve_letters(Link& link, const Grant& grant) {
  if (grant.device < 0) return keep(link, grant.memory);
  try {
    for (;;) {
      char letter;
      link.read(&letter, 1, 1);
      if (grant.tally) ++grant.tally->calls;
      const int process = getpid();
      if (letter == 'e') link.write({"E", 1});
      if (letter == 'p') link.write(bytes_of(process));
      if (letter == 'm') link.write(bytes_of(grant.memory));
      while (letter == 'h') pause();
      if (letter == 'a') {
        std::array<unsigned char, Key::kBytes> secret;
        link.read(secret.data(), secret.size(), secret.size());
        grant.admissions->add(3, Key(secret), 2);
        link.write({"A", 1});
      }
      if (letter == 'l') {
        char brought = '!';
        try {
          grant.admissions->link(3, kLong)->read(&brought, 1, 1);
        } catch (const Error&) {
          // nobody has come
        }
        link.write({&brought, 1});
      }
      if (letter == 'x') {
        int errors[3];
        const char *const words[] = {"/bin/true", nullptr}, *const none[] = {nullptr};
        errors[0] =
            execve(words[0], const_cast<char* const*>(words), const_cast<char* const*>(none)) < 0 ? errno : 0;
        errors[1] = ptrace(PTRACE_ATTACH, getppid(), nullptr, nullptr) < 0 ? errno : 0;
        errors[2] = unshare(CLONE_NEWUSER) < 0 ? errno : 0;
        link.write(bytes_of(errors));
      }
    }
  } catch (const LinkLost&) {
    return 0;
  }
}

inline ServedDevice a_device(int gpu) {
  ServedDevice device;
  device.gpu = gpu;
  device.kind = "none";
  device.properties.name = "device " + std::to_string(gpu);
  device.properties.memory = 1000 + static_cast<unsigned>(gpu);
  device.properties.attributes[10] = 32;
  return device;
}

class House {
public:
  explicit House(std::function<void(GateOptions&)> change = [](GateOptions&) {}) : key(new_key()) {
    GateOptions options;
    options.devices = {a_device(0), a_device(1)};
    options.port = 0;
    options.socket = folder_.path + "/gate.sock";
    options.key = key;
    change(options);
    socket = options.socket;
    int both[2];
    if (pipe(both) != 0) abort();
    gate = fork();
    if (gate == 0) {
      close(both[0]);
      int status = 8;
      try {
        Gate made(options, serve_letters);
        const int port = made.port();
        if (::write(both[1], &port, sizeof port) != sizeof port) _exit(9);
        close(both[1]);
        status = made.run();
      } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
      }
      _exit(status);
    }
    close(both[1]);
    int port = 0;
    if (::read(both[0], &port, sizeof port) != sizeof port) ADD_FAILURE() << "no gate";
    close(both[0]);
    tcp.name = "127.0.0.1";
    tcp.port = static_cast<std::uint16_t>(port);
    local.path = socket;
  }
  ~House() {
    if (gate > 0) {
      kill(gate, SIGKILL);
      kill(gate, SIGCONT);
      waitpid(gate, nullptr, 0);
    }
  }
  int end(int signal) { // the status of the gate
    kill(gate, signal);
    return wait();
  }
  int wait() {
    int status = 0;
    const bool ended = comes_true([&] { return waitpid(gate, &status, WNOHANG) == gate; });
    EXPECT_TRUE(ended);
    if (ended) gate = -1;
    return status;
  }

  Key key;
  int gate = -1;
  Host tcp, local;
  std::string socket;

private:
  Folder folder_;
};

inline int process_of(Link& link) {
  int process = 0;
  link.write({"p", 1});
  link.read(&process, sizeof process, sizeof process);
  return process;
}

inline char echo(Link& link) {
  char letter = 0;
  link.write({"e", 1});
  link.read(&letter, 1, 1);
  return letter;
}

} // namespace tasuki::remote
