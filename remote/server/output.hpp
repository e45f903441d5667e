// What kernels print comes to this process's standard output, and goes on to the client.
//
//   Output output(replies);      // of the process: standard output is a pipe from now on
//   output.flush();              // what has been printed is on its way, before the answer to a wait is
#pragma once

#include <remote/link/descriptor.hpp>
#include <remote/server/replies.hpp>

#include <atomic>
#include <mutex>
#include <thread>

namespace tasuki::remote {

class Output {
public:
  explicit Output(Replies& replies);
  ~Output(); // standard output is what it was
  void flush();

private:
  void pass_on();
  Replies& replies_;
  Descriptor read_, before_;
  std::mutex mutex_;
  std::atomic<bool> end_{false};
  std::thread thread_; // a pipe that is full would stop the kernel's printing
};

} // namespace tasuki::remote
