// The properties of a gauge configuration file, from its header.
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
      extents{};            // x, y, z, t; all 0 if unknown: the file then fits any lattice with as many links
  int number_bytes = 8;     // 4 or 8
  int rows = 3;             // of each link in the file; 2: the third one follows from them
  bool swapped = false;     // the byte order of its numbers differs from that of this machine
  std::uint64_t offset = 0; // byte of the first number
  std::uint64_t bytes = 0;  // of all links; 0: not known from the header alone

  // If the header has them. Normalised: 1 for the unit field.
  std::optional<double> plaquette = {}, link_trace = {};
  double header_accuracy = 0; // of plaquette and link trace, as they are printed or stored

  // nersc: the sum of the words, 0; ildg: suma, sumb; milc: sum29, sum31.
  std::optional<std::array<std::uint32_t, 2>> checksum = {};

  bool knows_extents() const { return extents[0] > 0; }
  // The tolerance for plaquette and link trace of the header: rounding of the stored links plus the accuracy of
  // the header.
  double tolerance() const { return (number_bytes == 4 ? 1e-5 : 1e-8) + header_accuracy; }
};

// "NERSC", "ILDG", "MILC", "openQCD".
const char* name_of(Format format);

} // namespace tasuki::wilson
