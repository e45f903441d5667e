// Pages of a range without a space: no messages, no faults.
#pragma once

#include <tasuki/space/pages.hpp>

#include <tests/support.hpp>

namespace tasuki::test {

inline constexpr std::uint64_t kPages = 1 << 16;

struct RangeOfPages { // what a test stands on. Collective, and so is its end: any_rank(false)
  space::Range range{world(), world().settings().space_at + (std::uintptr_t{1} << 36), kPages * 4096, 4096};
  space::Pages pages{range};
};

} // namespace tasuki::test
