// What proves a file of rows: a hash of each row, beside the column, and one hash of all else.
//
// A row has two places for its hash. A run that writes a row again puts the new hash where the one of the row as it stands is
// not, then the row: whatever ends the run between, the row is what one of the two says. A row with neither was never
// written, and is zero.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tasuki {

using RowSums = std::array<std::uint64_t, 2>;

// Never 0. `row` is the row's number.
std::uint64_t row_hash(const void* values, std::size_t bytes, long row);

// True where a row is what its sums say.
bool holds(const RowSums& sums, const void* values, std::size_t bytes, long row);

// The sums of a row that will hold `next`; `now` is what it holds, and may be null where neither place is taken and
// nobody looks at the row before it is written.
RowSums sums_for(const RowSums& sums, const void* now, const void* next, std::size_t bytes, long row);

// Bytes `from` .. `to - 1` of a file.
struct ByteRange {
  std::uint64_t from = 0, to = 0;
};

// Of all bytes between 512 and `bytes` that are in none of the ranges, in pieces of 1 MiB or less: the sum, modulo
// 2^64, of the pieces' hashes, each seeded with its place. Errors name `path`. Throws Error. Local.
std::uint64_t hash_around(const std::string& name, const std::string& path, std::vector<ByteRange> ranges,
                          std::uint64_t bytes);

} // namespace tasuki
