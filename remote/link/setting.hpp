// What `tasuki gpus run`, or a user by hand, has put into the environment, and the numbers in such texts.
//
//   const std::string key = setting("TASUKI_GPUS_KEY");                                  // "": not set
//   const int lanes = static_cast<int>(setting_number("TASUKI_GPUS_LANES", 4, "lanes", 1, 16));
//     throws Error: TASUKI_GPUS_LANES=4x is no whole number; give lanes from 1 to 16
//
// A whole number has digits alone: no sign, no unit. What does not fit is an error, and never a part of it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace tasuki::remote {

std::string setting(const char* name);

constexpr std::uint64_t kMostNumber = std::uint64_t(1)
                                      << 60; // more than any memory has bytes, and sums of it fit

// `usual` where the variable is not set, or is empty. `unit` is what there are of it: "bytes", "lanes".
std::uint64_t setting_number(const char* name, std::uint64_t usual, const std::string& unit,
                             std::uint64_t least = 0, std::uint64_t most = kMostNumber);

// `what` says where the text stands: "TASUKI_GPUS_LANES". Throws Error.
std::uint64_t whole_number(std::string_view text, const std::string& what, const std::string& unit,
                           std::uint64_t least = 0, std::uint64_t most = kMostNumber);

// The same without words for it. False: the text is no such number.
bool read_whole(std::string_view text, std::uint64_t& value) noexcept;
bool read_real(std::string_view text, double& value) noexcept; // finite: "10", "0.5", "1e-5"

} // namespace tasuki::remote
