// Lowering: converts each instruction of a module to one or a few operations.
//
//   Code code = lower(module, module.function_of.at("step"), addresses);
#pragma once

#include <remote/ptx/body.hpp>

namespace tasuki::remote::ptx {

// Addresses of the module's .global and .const variables, by index.
using Addresses = std::vector<std::uint64_t>;

// Throws Error with opcode and kernel for an instruction that cannot be executed.
Code lower(const Module& module, std::uint32_t kernel, const Addresses& addresses);

} // namespace tasuki::remote::ptx
