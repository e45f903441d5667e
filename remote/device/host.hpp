// The host as a substitute for a GPU: threads of this process interpret the PTX of kernels.
//
//   HostOptions options;
//   options.threads = 4;
//   std::unique_ptr<Device> device = open_host(options);
#pragma once

#include <remote/device/device.hpp>

namespace tasuki::remote {

struct HostOptions {
  std::uint64_t memory = 0; // bytes that map() can provide; 0: half of the machine's memory
  int threads = 0;          // of the interpreter; 0: one per core
  bool checked = false;     // a race on shared memory between barriers ends a kernel like a fault
  // Receives the output of printf in kernels; empty: standard output. Called from any thread.
  std::function<void(const std::string&)> print;
};

std::unique_ptr<Device> open_host(const HostOptions& options);

} // namespace tasuki::remote
