// A checksum of a field: equal for two runs only if their fields are the same, bit for bit (but for a chance of 2^-64).
#pragma once

#include <tasuki/field/field.hpp>

#include <cstdint>
#include <string>

namespace tasuki::job {

// The sum over all owned cells of a hash of the value and of the cell's index, so that it does not depend on
// the decomposition. Waits for the device. Collective.
std::uint64_t checksum(const AnyField& field);
std::string hex(std::uint64_t number); // 16 digits

} // namespace tasuki::job
