// The variables that the modules of an image have in GPU memory: __device__ and __constant__ ones.
//
//   if (const auto names = variables_of(image, bytes)) for (const std::string& name : *names) ..
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>

namespace tasuki::remote {

// By their PTX names, from all texts of a fat binary, without variables of other modules and of the compiler (names
// with $). Nothing if there is no PTX: machine code is not searched.
std::optional<std::set<std::string>> variables_of(const void* image, std::size_t bytes);

} // namespace tasuki::remote
