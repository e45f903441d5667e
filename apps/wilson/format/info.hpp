// What a file of a gauge configuration says of itself.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace tasuki::wilson {

enum class Format { nersc, ildg, milc, openqcd };

struct GaugeInfo {
  Format format = Format::ildg;
  std::array<long, 4>
      extents{};            // x, y, z, t; all 0 where the file does not say: it fits whatever is as large
  int number_bytes = 8;     // 4 or 8
  int rows = 3;             // of each link, that the file holds; 2: the third follows from them
  bool swapped = false;     // its numbers have the other order of bytes than this machine's
  std::uint64_t offset = 0; // byte of the first number
  std::uint64_t bytes = 0;  // of the links; where they reach to

  // Where the header has them. Normalised: 1 on the unit field.
  std::optional<double> plaquette = {}, link_trace = {};
  double header_accuracy = 0; // of those two, as they are printed or stored

  // nersc: the sum of the words, 0; ildg: suma, sumb; milc: sum29, sum31.
  std::optional<std::array<std::uint32_t, 2>> checksum = {};

  bool knows_extents() const { return extents[0] > 0; }
  // The header's plaquette and link trace are held against measured ones to this: what storage rounded, and
  // the header.
  double tolerance() const { return (number_bytes == 4 ? 1e-5 : 1e-8) + header_accuracy; }
};

// "NERSC", "ILDG", "MILC", "openQCD".
const char* name_of(Format format);

} // namespace tasuki::wilson
