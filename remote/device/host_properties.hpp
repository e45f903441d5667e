// What the host says that it is where a program asks for a GPU's properties.
#pragma once

#include <remote/device/device.hpp>

namespace tasuki::remote {

constexpr int kHostGeneration = 90; // PTX of sm_90 and older is run
constexpr std::uint32_t kHostShared = 49152,
                        kHostSharedMost = 232448; // dynamic shared bytes a block: by itself, and if asked for

Properties host_properties(std::uint64_t memory, int threads);

// Blocks of so many threads and bytes of shared memory that one multiprocessor holds.
int host_occupancy(int threads, std::uint64_t shared);

} // namespace tasuki::remote
