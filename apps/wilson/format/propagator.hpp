// Quark propagators, and spinor fields such as sources, in files: HDF5 (hdf5_spinors.hpp) where the name ends with
// .h5 or .hdf5, or where that is what is read; else SciDAC (LIME), as chroma and MILC write and read them.
//
// A spinor field is handed over in site order (see configuration.hpp): 24 doubles a site, [spin][colour][re,
// im]. A propagator is 12 of them, column = spin * 3 + colour of the source. Files have the DeGrand-Rossi
// basis of spin, memory has ours (gamma.hpp); the change rounds, so that what was written and read again
// differs in the last bits. Checkpoints do not (tasuki/file/checkpoint.hpp). How the propagator is normalised
// is the caller's business: chroma has the inverse of (4 + m) - H / 2.
#pragma once

#include <apps/wilson/lattice/lattice.hpp>
#include <tasuki/file/row_file.hpp>

#include <map>
#include <string>
#include <vector>

namespace tasuki::wilson {

using Columns = std::vector<std::vector<double>>; // spinor fields of this rank's sites

struct SpinorOptions {
  int number_bytes = 8;     // 4: rounded to single precision. Of writing alone.
  bool change_basis = true; // false: the file has what memory has, bit for bit
  std::string note = {};    // text for the record's XML or for an attribute, of writing alone; plain text
  std::map<std::string, Attribute> attributes = {}; // more of them, of writing HDF5 alone
};

// One record of 4x4 spins and 3x3 colours a site (chroma's LatticePropagator). 12 columns. Collective.
void write_propagator(const Lattice& lattice, const std::string& path, const Columns& columns,
                      const SpinorOptions& options = {});

// Of a file of one such record, or of 12 of a spinor each (USQCD: a source, then twelve sinks), or of HDF5.
// Throws Error on every rank: another lattice, other records, cut short, a checksum that is not its own, a
// number that is not finite. Collective.
Columns read_propagator(const Lattice& lattice, const std::string& path, const SpinorOptions& options = {});

// A record of a spinor a site for each field (chroma's LatticeFermion); HDF5 holds one alone. Collective.
void write_spinors(const Lattice& lattice, const std::string& path, const Columns& fields,
                   const SpinorOptions& options = {});
// All of the spinor records of a file, one at least. Collective.
Columns read_spinors(const Lattice& lattice, const std::string& path, const SpinorOptions& options = {});

} // namespace tasuki::wilson
