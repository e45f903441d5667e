// openQCD's format: little-endian, int32 extents (t, x, y, z), the mean of Re tr of the plaquettes as a
// double, then the odd sites, t slowest, then x, y, z; each with the 64-bit links of the directions +t, -t, +x,
// -x, +y, -y, +z, -z, where -mu is U_mu(n - mu).
#pragma once

#include <apps/wilson/format/info.hpp>
#include <apps/wilson/lattice/lattice.hpp>

#include <vector>

namespace tasuki::wilson {

// True if the bytes are a possible header: the format has no magic number.
bool is_openqcd(const std::string& head);
GaugeInfo inspect_openqcd(const std::string& path); // throws Error. Local.

// This rank's links in site order. Throws Error. Local.
void read_openqcd(const std::string& path, const GaugeInfo& info, const Lattice& lattice,
                  std::vector<double>& links);

} // namespace tasuki::wilson
