// The checksums that formats keep. Each is put together from sites in any order, so that every rank sums up
// its own.
#pragma once

#include <tasuki/file/site_file.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tasuki::wilson {

// CRC-32 of IEEE 802.3, reflected, as zlib and PNG have it.
std::uint32_t crc32(const char* bytes, std::size_t count);

enum class SumKind {
  none,
  words,  // NERSC: the sum of all 32-bit words, modulo 2^32; the second is 0
  milc,   // words turned left by their number modulo 29 and 31, xor: sum29, sum31
  scidac, // CRC-32 of each site's bytes, turned left by the site's number modulo 29 and 31, xor: suma, sumb
};

using Sum = std::array<std::uint32_t, 2>;

// Of the bytes of some sites as they stand in the file. `swapped`: its words have the other order than this
// machine's.
Sum sum_of_piece(SumKind kind, const CellPiece& piece, std::size_t site_bytes, bool swapped);

Sum combine(SumKind kind, const Sum& a, const Sum& b);

std::string sum_text(SumKind kind, const Sum& sum); // "2e218ab1" of words, "a2c41090/11193c39" of others

} // namespace tasuki::wilson
