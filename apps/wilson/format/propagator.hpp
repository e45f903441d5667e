// Files of quark propagators, and of spinor fields such as sources: HDF5 (hdf5_spinors.hpp) if the name ends with
// .h5 or .hdf5, or if the file to read is HDF5; otherwise SciDAC (LIME), compatible with chroma and MILC.
//
// A spinor field is in site order (see configuration.hpp): 24 doubles per site, [spin][colour][re,
// im]. A propagator is 12 of them, column = spin * 3 + colour of the source. Files use the DeGrand-Rossi
// spin basis, memory the one of gamma.hpp; the change of basis rounds, so that written and re-read numbers
// differ in the last bits. Checkpoints are exact (tasuki/file/checkpoint.hpp). The normalisation of a propagator
// is that of the caller: chroma stores the inverse of (4 + m) - H / 2.
#pragma once

#include <apps/wilson/lattice/lattice.hpp>
#include <tasuki/file/row_file.hpp>

#include <map>
#include <string>
#include <vector>

namespace tasuki::wilson {

using Columns = std::vector<std::vector<double>>; // spinor fields of this rank's sites

struct SpinorOptions {
  int number_bytes = 8;     // 4: rounded to single precision. For writing only
  bool change_basis = true; // false: the file has the numbers of memory, bit for bit
  std::string note = {};    // plain text for the record's XML or for an attribute, for writing only
  std::map<std::string, Attribute> attributes = {}; // further ones, for writing HDF5 only
};

// One record with 4x4 spins and 3x3 colours per site (chroma's LatticePropagator). 12 columns. Collective.
void write_propagator(const Lattice& lattice, const std::string& path, const Columns& columns,
                      const SpinorOptions& options = {});

// From a file with one such record, or with 12 spinor records (USQCD: a source, then twelve sinks), or from HDF5.
// Throws Error on every rank for another lattice, other records, a truncated file, a wrong checksum, or a
// number that is not finite. Collective.
Columns read_propagator(const Lattice& lattice, const std::string& path, const SpinorOptions& options = {});

// One record of spinors for each field (chroma's LatticeFermion); HDF5 allows only one field. Collective.
void write_spinors(const Lattice& lattice, const std::string& path, const Columns& fields,
                   const SpinorOptions& options = {});
// All spinor records of a file; at least one. Collective.
Columns read_spinors(const Lattice& lattice, const std::string& path, const SpinorOptions& options = {});

} // namespace tasuki::wilson
