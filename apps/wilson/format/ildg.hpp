// ILDG's format: a LIME file with the lattice as XML, the links as big-endian numbers, and SciDAC's checksum of
// the links.
#pragma once

#include <apps/wilson/format/info.hpp>

namespace tasuki::wilson {

// Also for SciDAC's own configurations (scidac-binary-data), and for files with ildg-binary-data only: those have
// neither extents nor the size of numbers (number_bytes 0). Throws Error. Local.
GaugeInfo inspect_ildg(const std::string& path);

} // namespace tasuki::wilson
