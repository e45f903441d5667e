// How much memory there is for what a rank is about to make.
#pragma once

#include <tasuki/base/world.hpp>

#include <cstddef>
#include <string>

namespace tasuki {

// Bytes that this rank's fields may have: those of its GPU, or its share of what the host has free. Collective with the
// first use of the device.
std::size_t memory_for_fields(World& world);

// Bytes of the host that this rank may still use: its share of what is free, or less where a control group is limited.
std::size_t memory_on_host(const World& world);

std::string bytes_text(std::size_t bytes); // "12.0 GiB"

} // namespace tasuki
