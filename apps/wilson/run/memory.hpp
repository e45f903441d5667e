// The memory that a run needs, determined before any allocation.
#pragma once

#include <apps/wilson/run/options.hpp>

#include <cstddef>

namespace tasuki::wilson {

struct Memory {
  std::size_t device = 0, device_has = 0; // per rank
  std::size_t host = 0, host_has = 0;     // host memory per rank; 0 if the device is the host
  long columns = 1; // solved at once: the requested number, or as many as fit into memory
};

// Throws Error if the memory does not suffice. Allocates nothing. Collective.
Memory expect_memory(const Lattice& lattice, const Options& options);

} // namespace tasuki::wilson
