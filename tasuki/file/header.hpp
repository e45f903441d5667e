// The first 512 bytes of a snapshot, a checkpoint or a file of rows: text by which the rest is verified before it is
// parsed. For HDF5 they are the user block of the file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tasuki {

inline constexpr std::size_t kHeaderBytes = 512;
inline constexpr int kFileVersion = 1;

// TASUKI 1
// checkpoint
// bytes 1052672 manifest 1048832
// hash 0123456789abcdef 0123456789abcdef
// head 0123456789abcdef
struct Header {
  std::string kind;           // "snapshot", "checkpoint" or "rows" (see row_file.hpp)
  std::uint64_t bytes = 0;    // of the whole file
  std::uint64_t manifest = 0; // where the manifest starts, up to the end of the file. Rows have none
  std::uint64_t hash = 0;     // of all bytes after the header; for rows, of all but rows and row hashes
  std::uint64_t manifest_hash = 0;
};

std::array<char, kHeaderBytes> to_block(const Header& header);

// `block`: the first 512 bytes of the file, or all of a shorter file; `bytes`: the size of the file. Throws Error if
// it is not a Tasuki file, has a newer format, an altered header or another size than recorded. `mend`: the advice
// for a damaged file.
Header parse_header(const std::string& path, const std::string& block, std::uint64_t bytes,
                    const std::string& mend = "use another checkpoint");

} // namespace tasuki
