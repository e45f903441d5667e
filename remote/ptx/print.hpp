// printf of a kernel: format and arguments lie in memory, as nvcc's vprintf finds them.
#pragma once

#include <remote/ptx/warp.hpp>

#include <string>

namespace tasuki::remote::ptx {

// A text that ends with 0, of at most 64 KiB.
std::string text_at(Warp& w, std::uint64_t address, int lane);

// What printf would write; count: how many arguments it took, -1 without a format.
std::string formatted(Warp& w, std::uint64_t format, std::uint64_t arguments, int lane, int& count);

} // namespace tasuki::remote::ptx
