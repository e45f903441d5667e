// The variables that modules of an image have in memory of the GPU: those of __device__ and __constant__.
//
//   if (const auto names = variables_of(image, bytes)) for (const std::string& name : *names) ..
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>

namespace tasuki::remote {

// By the names that PTX gives them, of all texts of a fat binary; what other modules define, and texts that the compiler has put there
// (their names begin with $), are none. Nothing where there is no PTX: machine code is not looked at.
std::optional<std::set<std::string>> variables_of(const void* image, std::size_t bytes);

} // namespace tasuki::remote
