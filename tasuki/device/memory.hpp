// The memory that is available to a rank before it allocates its fields.
#pragma once

#include <tasuki/base/world.hpp>

#include <cstddef>
#include <string>

namespace tasuki {

class Device;

// The bytes available for this rank's fields: the free memory of its GPU, or its share
// of the free memory of the host. Collective with the first use of the device.
std::size_t memory_for_fields(World& world);

// The bytes of host memory that this rank may still use: its share of the free memory, at most its cgroup's limit.
std::size_t memory_on_host(const World& world);

// The bytes of device memory that are not allocated: of the GPU, or memory_on_host() for the host.
std::size_t free_memory(const Device& device);

std::string bytes_text(std::size_t bytes); // "12.0 GiB"

} // namespace tasuki
