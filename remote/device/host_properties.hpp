// The GPU properties that the host device reports.
#pragma once

#include <remote/device/device.hpp>

namespace tasuki::remote {

constexpr int kHostGeneration = 90; // accepts PTX for sm_90 and older
constexpr std::uint32_t kHostShared = 49152,
                        kHostSharedMost = 232448; // dynamic shared bytes per block: default, and on request

Properties host_properties(std::uint64_t memory, int threads);

// The number of blocks with these threads and bytes of shared memory that one multiprocessor holds.
int host_occupancy(int threads, std::uint64_t shared);

} // namespace tasuki::remote
