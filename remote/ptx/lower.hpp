// From a module's text to code: each instruction becomes one operation, or a few.
//
//   Code code = lower(module, module.function_of.at("step"), addresses);
#pragma once

#include <remote/ptx/body.hpp>

namespace tasuki::remote::ptx {

// Where the module's .global and .const variables lie, by index.
using Addresses = std::vector<std::uint64_t>;

// Throws Error that names the opcode and the kernel where one cannot be run.
Code lower(const Module& module, std::uint32_t kernel, const Addresses& addresses);

} // namespace tasuki::remote::ptx
