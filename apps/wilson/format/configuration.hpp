// Reading and writing of gauge configurations.
//
// Links are in site order: this rank's box of sites (Lattice::owned()), t slowest, then z, y, x. Each site has
// 72 doubles, [mu][row][column][re, im] with mu = x, y, z, t, where U_mu(n) is the link from n to n +
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

// The properties of a file, from its first bytes and its header; links are not read. Throws Error if the file is
// missing, truncated, or of an unknown format, or if no lattice can have its extents. Local.
GaugeInfo inspect_configuration(const std::string& path);

struct ReadOptions {
  // The allowed deviation of U U^+ from 1 and of det U from 1, per entry. Default: 1e-5 for 32-bit numbers, 1e-8
  // for 64-bit numbers.
  std::optional<double> unitarity = {};
};

struct Configuration {
  GaugeInfo info;
  std::vector<double> links; // of this rank, in site order
  double link_trace = 0;     // mean of Re tr U / 3 over all links, with the same bits on any number of ranks
  double unitarity = 0;      // the largest deviation of all links
};

// Throws Error on every rank if inspect_configuration() does, if the file has another lattice, if the checksum
// differs (the error has both), if a number is not finite, if a link is not in SU(3) (the error has the first one), or
// if the link trace differs from that of the header. Collective.
Configuration read_configuration(const Lattice& lattice, const std::string& path,
                                 const ReadOptions& options = {});

// Throws Error if the plaquette of the header differs from the one measured on the links. Local.
void check_plaquette(const GaugeInfo& info, const std::string& path, double measured);

struct WriteOptions {
  Format format = Format::ildg;         // ildg or nersc
  int number_bytes = 8;                 // 4: rounded to single precision
  int rows = 3;                         // only nersc may have 2
  std::optional<double> plaquette = {}; // measured; written to the header. Required for nersc
  std::string name = {};                // ildg-data-lfn, or nersc's ENSEMBLE_LABEL; default: the file name
};

// The format by the ending of a name: .nersc is NERSC; .lime and .ildg are ILDG. Throws Error for other
// endings. Local.
Format format_of_name(const std::string& path);

// Writes the file under a temporary name, and renames it when it is complete on the disk. The bytes are the same on
// any number of ranks. After an Error, on every rank, an existing file is unchanged. Collective.
void write_configuration(const Lattice& lattice, const std::string& path, const std::vector<double>& links,
                         const WriteOptions& options = {});

} // namespace tasuki::wilson
