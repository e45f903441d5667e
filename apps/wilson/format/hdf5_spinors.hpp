// Propagators and spinor fields in HDF5, a dataset each, for h5py and numpy:
//
//   propagator  [t][z][y][x][spin of sink][colour of sink][spin of source][colour of source]
//   spinor      [t][z][y][x][spin][colour]
//
// of complex numbers. Attributes of the dataset: `gamma_basis`, DeGrand-Rossi as in SciDAC files or non-relativistic
// as in memory (basis.hpp; where there is none it is DeGrand-Rossi), `lattice` (x, y, z, t), `note`, what the caller
// gives, and those of tasuki/file/array_file.hpp.
#pragma once

#include <apps/wilson/format/propagator.hpp>

#include <string>

namespace tasuki::wilson {

bool is_hdf5_name(const std::string& path); // ends with .h5 or .hdf5
// Its name says so, or its first bytes do. Throws Error where it cannot be read. Collective.
bool is_hdf5_file(World& world, const std::string& path);

// 12 columns are a propagator, one is a spinor. `before` is done to the reals of each site, by column, before they are
// written, where it is given. Throws Error. Collective.
void write_hdf5(const Lattice& lattice, const std::string& path, const Columns& columns,
                const SpinorOptions& options, void (*before)(double*));

// A propagator (`fields` = 12) or a spinor (1) as the file has it; `in_file_basis` tells whether that is
// DeGrand-Rossi's. Throws Error on every rank: another lattice or shape, other numbers, no such dataset, an unknown
// basis, and as read_array(). Collective.
Columns read_hdf5(const Lattice& lattice, const std::string& path, std::size_t fields, bool& in_file_basis);

} // namespace tasuki::wilson
