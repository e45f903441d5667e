// The spin basis of files, that of DeGrand and Rossi, and that of memory (gamma.hpp), in which gamma_t is diagonal.
//
// The gamma matrices of files (chroma and MILC): gamma_x = antidiag(i, i, -i, -i), gamma_y = antidiag(-1, 1, 1, -1),
// gamma_z = [[0, i sigma_z], [-i sigma_z, 0]], gamma_t = [[0, 1], [1, 0]]. A real matrix T transforms them to those of
// memory, T gamma T^+. It is unique except for its sign, which cancels in a propagator. psi in memory is T times psi in
// the file.
#pragma once

namespace tasuki::wilson {

// Transforms a spinor in place: 24 reals, [spin][colour][re, im].
void to_file_basis(double* spinor);
void to_memory_basis(double* spinor);

// Transforms a propagator at a site in place: 12 spinors, by spin and colour of the source.
void propagator_to_file_basis(double* spinors);
void propagator_to_memory_basis(double* spinors);

} // namespace tasuki::wilson
