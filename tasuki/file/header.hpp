// The first 512 bytes of a snapshot, a checkpoint or a file of rows: text that tells whether the rest is whole, before anything parses
// it. To HDF5 they are the file's user block.
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
  std::uint64_t manifest = 0; // where the manifest starts; it ends the file. Rows have none
  std::uint64_t hash = 0;     // of everything behind the header; of rows, of all that is neither row nor hash
  std::uint64_t manifest_hash = 0;
};

std::array<char, kHeaderBytes> to_block(const Header& header);

// `block`: the first bytes of the file, 512 or as many as it has; `bytes`: those that the file has. Throws Error: no
// Tasuki file, a newer format, an altered header, a file that is shorter or longer than it was written. `mend` is what
// to do where the file is damaged.
Header parse_header(const std::string& path, const std::string& block, std::uint64_t bytes,
                    const std::string& mend = "use another checkpoint");

} // namespace tasuki
