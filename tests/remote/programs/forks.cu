// A process that forks after its first CUDA call: the child is told so, once, and the parent goes on.
#include <cstring>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include "check.cuh"

int main() {
  void* memory;
  OK(cudaMalloc(&memory, 4096));
  int said[2];
  IS(pipe(said) == 0);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    dup2(said[1], 2);
    void* none = nullptr;
    const bool refused = cudaMalloc(&none, 4096) == cudaErrorInitializationError &&
                         cudaMemset(memory, 0, 4096) == cudaErrorInitializationError;
    _exit(refused ? 0 : 1);
  }
  close(said[1]);
  std::string text;
  char part[256];
  for (ssize_t got; (got = read(said[0], part, sizeof part)) > 0;)
    text.append(part, static_cast<size_t>(got));
  int status = 0;
  IS(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  const char* line =
      "tasuki: a process forked after its parent's first CUDA call has no GPUs; fork before it\n";
  if (text != line) {
    std::printf("said: %s", text.c_str());
    return 1;
  }
  OK(cudaMemset(memory, 0, 4096));
  OK(cudaDeviceSynchronize());
  OK(cudaFree(memory));
  std::puts("forks: well");
}
