// ILDG's format: a LIME file with the lattice as XML, the links as big-endian numbers, SciDAC's checksum of
// them.
#pragma once

#include <apps/wilson/format/info.hpp>

namespace tasuki::wilson {

// Also SciDAC's own configurations (scidac-binary-data), and files of ildg-binary-data alone: those do not
// know their extents, nor how wide their numbers are (number_bytes 0). Throws Error. Local.
GaugeInfo inspect_ildg(const std::string& path);

} // namespace tasuki::wilson
