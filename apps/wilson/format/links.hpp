// Links, site by site, in the order of NERSC, ILDG and MILC files: [t][z][y][x][mu][row][column][re, im].
#pragma once

#include <apps/wilson/format/info.hpp>
#include <apps/wilson/format/sums.hpp>
#include <apps/wilson/lattice/lattice.hpp>

#include <string>
#include <vector>

namespace tasuki::wilson {

std::size_t link_bytes(const GaugeInfo& info); // per site
Index index_of(const Lattice& lattice);        // the lattice's extents

// This rank's links, in site order; returns the checksum of their bytes in the file. Throws Error. Local.
Sum read_links(const std::string& path, const GaugeInfo& info, const Lattice& lattice, SumKind kind,
               std::vector<double>& links);

// Writes them to the existing file `name`. Throws Error. Local.
Sum write_links(const std::string& name, const std::string& path, const GaugeInfo& info,
                const Lattice& lattice, SumKind kind, const std::vector<double>& links);

} // namespace tasuki::wilson
