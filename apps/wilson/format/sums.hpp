// The checksums of the formats. The sums of single sites can be combined in any order, so every rank computes
// that of its own sites.
#pragma once

#include <tasuki/file/site_file.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tasuki::wilson {

// CRC-32 of IEEE 802.3, reflected, as in zlib and PNG.
std::uint32_t crc32(const char* bytes, std::size_t count);

enum class SumKind {
  none,
  words,  // NERSC: the sum of all 32-bit words, modulo 2^32; the second is 0
  milc,   // words rotated left by their index modulo 29 and 31, xor: sum29, sum31
  scidac, // CRC-32 of each site's bytes, rotated left by the site's index modulo 29 and 31, xor: suma, sumb
};

using Sum = std::array<std::uint32_t, 2>;

// For the bytes of some sites in the file. `swapped`: its byte order differs from that of this
// machine.
Sum sum_of_piece(SumKind kind, const CellPiece& piece, std::size_t site_bytes, bool swapped);

Sum combine(SumKind kind, const Sum& a, const Sum& b);

std::string sum_text(SumKind kind, const Sum& sum); // "2e218ab1" for words, "a2c41090/11193c39" for others

} // namespace tasuki::wilson
