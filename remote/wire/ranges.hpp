// Ranges of addresses that do not overlap: their bytes, by where they begin.
//
//   Ranges ranges{{0x1000, 16}, {0x1010, 16}};
//   range_at(ranges, 0x1014)->first;      // 0x1010
//   covered(ranges, 0x1008, 24);          // true: ranges that touch are one
#pragma once

#include <cstdint>
#include <map>

namespace tasuki::remote {

using Ranges = std::map<std::uint64_t, std::uint64_t>;

// The range that holds the address; end() if there is none.
inline Ranges::const_iterator range_at(const Ranges& ranges, std::uint64_t address) {
  auto found = ranges.upper_bound(address);
  if (found == ranges.begin()) return ranges.end();
  --found;
  return address - found->first < found->second ? found : ranges.end();
}

// Whether all of these bytes, and the first address, are in ranges.
inline bool covered(const Ranges& ranges, std::uint64_t address, std::uint64_t bytes) {
  for (;;) {
    const auto here = range_at(ranges, address);
    if (here == ranges.end()) return false;
    const std::uint64_t left = here->second - (address - here->first);
    if (bytes <= left) return true;
    address += left;
    bytes -= left;
  }
}

} // namespace tasuki::remote
