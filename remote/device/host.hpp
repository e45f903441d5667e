// The host in a GPU's place: kernels' PTX is interpreted by threads of this process.
//
//   HostOptions options;
//   options.threads = 4;
//   std::unique_ptr<Device> device = open_host(options);
#pragma once

#include <remote/device/device.hpp>

namespace tasuki::remote {

struct HostOptions {
  std::uint64_t memory = 0; // bytes that map() gives; 0: half of what the machine has
  int threads = 0;          // that interpret; 0: one a core
  bool checked = false;     // a race on shared memory between barriers ends a kernel as a fault does
  // Where printf of kernels goes; empty: standard output. From any thread.
  std::function<void(const std::string&)> print;
};

std::unique_ptr<Device> open_host(const HostOptions& options);

} // namespace tasuki::remote
