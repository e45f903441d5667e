// The memory that a run needs, before any of it is taken.
#pragma once

#include <apps/wilson/run/options.hpp>

#include <cstddef>

namespace tasuki::wilson {

struct Memory {
  std::size_t device = 0, device_has = 0; // of each rank
  std::size_t host = 0, host_has = 0;     // of each rank beside it; 0 where the device is the host
  long columns = 1; // that are solved at once: as asked for, or as many as there is room for
};

// Throws Error where it does not suffice. Nothing is allocated. Collective.
Memory expect_memory(const Lattice& lattice, const Options& options);

} // namespace tasuki::wilson
