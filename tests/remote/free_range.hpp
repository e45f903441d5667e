// Where a test may have an arena, in a plain build and under each of the sanitizers, which have most of the addresses themselves.
#pragma once

#include <cstdint>

namespace tasuki::remote {

constexpr std::uint64_t free_range = 0x7ea000000000; // 256 GiB from here on

} // namespace tasuki::remote
