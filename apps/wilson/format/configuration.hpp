// Gauge configurations out of files and into them.
//
// Links are handed over in site order: this rank's box of sites (Lattice::owned()), t slowest, then z, y, x;
// of each site 72 doubles, [mu][row][column][re, im] with mu = x, y, z, t and U_mu(n) leading from n to n +
// mu.
//
//   format   reads                                     writes
//   NERSC    2 or 3 rows, 32 or 64 bit, both orders    the same, big-endian
//   ILDG     SciDAC/LIME, 32 or 64 bit                 the same, with SciDAC checksum
//   MILC     version 5, 32 bit, both orders            -
//   openQCD  64 bit, little-endian                     -
//
// NERSC: "Gauge Connection" archive; ILDG: "ILDG Binary File Format" 1.2 (hpc.desy.de/ildg), SciDAC
// checksums: QIO of the USQCD collaboration; MILC: io_lat4.c of the MILC code, version 5; openQCD:
// modules/archive/archive.c, export_cnfg.
#pragma once

#include <apps/wilson/format/info.hpp>
#include <apps/wilson/lattice/lattice.hpp>

#include <optional>
#include <string>
#include <vector>

namespace tasuki::wilson {

// What the file is, by its first bytes and its header; its links are not read. Throws Error: not there, of a
// format that is not known, cut short, extents that no lattice here can have. Local.
GaugeInfo inspect_configuration(const std::string& path);

struct ReadOptions {
  // How far U U^+ may be from 1 and det U from 1, by entry. None: 1e-5 of 32-bit numbers, 1e-8 of 64-bit
  // ones.
  std::optional<double> unitarity = {};
};

struct Configuration {
  GaugeInfo info;
  std::vector<double> links; // of this rank, in site order
  double link_trace = 0;     // mean of Re tr U / 3 over all links, the same bits for any number of ranks
  double unitarity = 0;      // the largest deviation of all links
};

// Throws Error on every rank, as inspect_configuration() does and where the file holds another lattice,
// numbers that are not those of its checksum (both are said), a number that is not finite, a link that is not
// in SU(3) (the first is named), a link trace that is not the header's. Collective.
Configuration read_configuration(const Lattice& lattice, const std::string& path,
                                 const ReadOptions& options = {});

// Throws Error where the header has another plaquette than was measured of the links that were read. Local.
void check_plaquette(const GaugeInfo& info, const std::string& path, double measured);

struct WriteOptions {
  Format format = Format::ildg;         // or nersc
  int number_bytes = 8;                 // 4: rounded to single precision
  int rows = 3;                         // nersc alone may have 2
  std::optional<double> plaquette = {}; // measured; goes into the header. nersc has to have it.
  std::string name = {};                // ildg-data-lfn, nersc's ENSEMBLE_LABEL; none: the file's own
};

// The format that a name asks for by its ending: .nersc is NERSC; .lime and .ildg are ILDG. Throws Error for
// others. Local.
Format format_of_name(const std::string& path);

// Writes the file under a temporary name, and renames it when it is whole and on the disk. The same bytes for
// any number of ranks. Throws Error on every rank and leaves what was there. Collective.
void write_configuration(const Lattice& lattice, const std::string& path, const std::vector<double>& links,
                         const WriteOptions& options = {});

} // namespace tasuki::wilson
