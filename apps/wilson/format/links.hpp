// Links, site after site, as NERSC, ILDG and MILC files hold them: [t][z][y][x][mu][row][column][re, im].
#pragma once

#include <apps/wilson/format/info.hpp>
#include <apps/wilson/format/sums.hpp>
#include <apps/wilson/lattice/lattice.hpp>

#include <string>
#include <vector>

namespace tasuki::wilson {

std::size_t link_bytes(const GaugeInfo& info); // of a site
Index index_of(const Lattice& lattice);        // the lattice's extents

// This rank's links, in site order, and the sum of the bytes that they were. Throws Error. Local.
Sum read_links(const std::string& path, const GaugeInfo& info, const Lattice& lattice, SumKind kind,
               std::vector<double>& links);

// The other way, into the file `name`, which there is. Throws Error. Local.
Sum write_links(const std::string& name, const std::string& path, const GaugeInfo& info,
                const Lattice& lattice, SumKind kind, const std::vector<double>& links);

} // namespace tasuki::wilson
