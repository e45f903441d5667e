// printf of a kernel: format and arguments are in memory, in the layout of vprintf that nvcc generates.
#pragma once

#include <remote/ptx/warp.hpp>

#include <string>

namespace tasuki::remote::ptx {

// A text that ends with 0, at most 64 KiB.
std::string text_at(Warp& w, std::uint64_t address, int lane);

// The output of printf; count: the number of arguments used, -1 without a format.
std::string formatted(Warp& w, std::uint64_t format, std::uint64_t arguments, int lane, int& count);

} // namespace tasuki::remote::ptx
