// Propagators and spinor fields in HDF5, one dataset each, for h5py and numpy:
//
//   propagator  [t][z][y][x][spin of sink][colour of sink][spin of source][colour of source]
//   spinor      [t][z][y][x][spin][colour]
//
// of complex numbers. Attributes of the dataset: `gamma_basis` (DeGrand-Rossi as in SciDAC files, or non-relativistic
// as in memory, see basis.hpp; DeGrand-Rossi if it is missing), `lattice` (x, y, z, t), `note`, those of the caller,
// and those of tasuki/file/array_file.hpp.
#pragma once

#include <apps/wilson/format/propagator.hpp>

#include <string>

namespace tasuki::wilson {

bool is_hdf5_name(const std::string& path); // true for .h5 and .hdf5
// By its name, or by its first bytes. Throws Error if it cannot be read. Collective.
bool is_hdf5_file(World& world, const std::string& path);

// 12 columns are a propagator, one is a spinor. If `before` is given, it transforms the reals of each site, by column,
// before they are written. Throws Error. Collective.
void write_hdf5(const Lattice& lattice, const std::string& path, const Columns& columns,
                const SpinorOptions& options, void (*before)(double*));

// A propagator (`fields` = 12) or a spinor (1) without a change of basis; `in_file_basis` is set if it is that of
// DeGrand and Rossi. Throws Error on every rank for another lattice, shape or type, a missing dataset, an unknown
// basis, and if read_array() does. Collective.
Columns read_hdf5(const Lattice& lattice, const std::string& path, std::size_t fields, bool& in_file_basis);

} // namespace tasuki::wilson
