// Runs a program with workers of its own: one process a device, each at the end of a socket, and no gate.
//
//   workers --device host|driver COUNT LIBRARY -- ./many
//
// LIBRARY is the library that is preloaded. Ends with the program's status.
#include <remote/device/driver.hpp>
#include <remote/link/socket.hpp>
#include <remote/server/worker.hpp>

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "open_any.hpp"

using namespace tasuki::remote;

namespace {

int work(int socket, const std::string& kind, int gpu) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  SocketLink link(Descriptor(socket), "the program");
  try {
    const auto device = open_any(kind, gpu);
    serve_worker(link, *device, {}, Prints::at_the_client);
    std::_Exit(0); // what the program left running is not waited for
  } catch (const std::exception& e) {
    std::fprintf(stderr, "workers: %s\n", e.what());
    std::_Exit(1);
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 7 || std::strcmp(argv[1], "--device") || std::strcmp(argv[5], "--")) {
    std::fprintf(stderr, "workers --device host|driver COUNT LIBRARY -- program ..\n");
    return 2;
  }
  const int count = std::atoi(argv[3]);
  std::string links;
  for (int n = 0; n < count; ++n) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) return std::perror("workers"), 2;
    const pid_t child = fork();
    if (child == 0) return work(pair[1], argv[2], n);
    close(pair[1]);
    const int here = dup(pair[0]); // goes through exec
    close(pair[0]);
    links += (n ? "," : "") + std::to_string(here);
  }
  const pid_t program = fork();
  if (program == 0) {
    setenv("TASUKI_GPUS_LINKS", links.c_str(), 1);
    setenv("LD_PRELOAD", argv[4], 1);
    execvp(argv[6], argv + 6);
    std::perror(argv[6]);
    std::_Exit(127);
  }
  for (int at = 3; at < 1024; ++at) close(at); // the ends that the program holds alone
  int status = 0;
  waitpid(program, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
