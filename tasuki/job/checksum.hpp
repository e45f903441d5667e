// A number that two runs share only if (but for a chance of 2^-64) their fields are the same, bit for bit.
#pragma once

#include <tasuki/field/field.hpp>

#include <cstdint>
#include <string>

namespace tasuki::job {

// Of all owned cells: a hash of each value and of the cell it is in, added up, so that it does not depend on
// how the grid is cut. Waits for the device. Collective.
std::uint64_t checksum(const FieldCore& field);
std::string hex(std::uint64_t number); // 16 digits

} // namespace tasuki::job
