// A section: a box of elements of an array, as runs of bytes. Pure arithmetic.
//
//   // rows 2 and 3, columns 5 to 9 of a[8][16] of doubles, which begins 0 bytes into its array
//   section({8, 16}, {2, 5}, 8, (2 * 16 + 5) * 8); // {{296, 40}, {424, 40}}
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tasuki::space {

struct Bytes {
  std::uint64_t at = 0, count = 0;
  bool operator==(const Bytes&) const = default;
};

// The runs of bytes of a section with `part` elements along each axis (slowest first) of an array of
// `whole` elements; the section's first element is `at` bytes behind the array's first. Runs ascend;
// adjacent runs are one. Throws Error if the section leaves the array, or if `at` is within an element.
std::vector<Bytes> section(const std::vector<std::size_t>& whole, const std::vector<std::size_t>& part,
                           std::size_t element_bytes, std::uint64_t at);

// "17,3" : the indices of the element at this byte.
std::string indices_text(const std::vector<long>& extents, std::size_t element_bytes, std::uint64_t at);

// The pages of these runs of bytes, as runs of pages; if the runs ascend, so do those of pages, each page once.
std::vector<Bytes> pages_of(const std::vector<Bytes>& runs, std::size_t page_bytes);

} // namespace tasuki::space
