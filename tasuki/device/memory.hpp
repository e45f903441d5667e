// The memory that is available for what a rank is about to allocate.
#pragma once

#include <tasuki/base/world.hpp>

#include <cstddef>
#include <string>

namespace tasuki {

class Device;

// The bytes available for this rank's fields: those of its GPU, or its share
// of the free memory of the host. Collective with the first use of the device.
std::size_t memory_for_fields(World& world);

// The bytes of the host that this rank may still use: its share of the free memory, or less if a control group has a limit.
std::size_t memory_on_host(const World& world);

// The bytes of the device's memory that nobody has taken: of a GPU; of the host, memory_on_host().
std::size_t free_memory(const Device& device);

std::string bytes_text(std::size_t bytes); // "12.0 GiB"

} // namespace tasuki
