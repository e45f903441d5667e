// The hashes of a file of rows: two hashes for each row, beside the column, and one hash of all other bytes.
//
// Each row has two places for its hash. To rewrite a row, a run stores the new hash in the place that does not hold the
// hash of the present row, and then writes the row. If the run ends in between, the row still matches one of the two
// hashes. A row without hashes was never written, and is zero.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tasuki {

using RowSums = std::array<std::uint64_t, 2>;

// Never 0. `row`: the index of the row.
std::uint64_t row_hash(const void* values, std::size_t bytes, long row);

// True if the row matches one of its hashes, or is zero and has none.
bool holds(const RowSums& sums, const void* values, std::size_t bytes, long row);

// The hashes of a row before `next` is written to it. `now`: its present content; may be null if the row has no
// hashes yet and is not read before it is written.
RowSums sums_for(const RowSums& sums, const void* now, const void* next, std::size_t bytes, long row);

// Bytes `from` .. `to - 1` of a file.
struct ByteRange {
  std::uint64_t from = 0, to = 0;
};

// The hash of all bytes between 512 and `bytes` outside of the ranges, in pieces of at most 1 MiB: the sum, modulo
// 2^64, of the pieces' hashes, each seeded with its offset. Errors contain `path`. Throws Error. Local.
std::uint64_t hash_around(const std::string& name, const std::string& path, std::vector<ByteRange> ranges,
                          std::uint64_t bytes);

} // namespace tasuki
