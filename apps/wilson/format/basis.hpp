// The basis of spin that files have, DeGrand and Rossi's, and ours (gamma.hpp), in which gamma_t is diagonal.
//
// Files' gammas (chroma's and MILC's): gamma_x = antidiag(i, i, -i, -i), gamma_y = antidiag(-1, 1, 1, -1),
// gamma_z = [[0, i sigma_z], [-i sigma_z, 0]], gamma_t = [[0, 1], [1, 0]]. With ours = T theirs T^+ the real
// matrix T is unique but for its sign, which a propagator does not see; psi in memory is T times psi in the
// file.
#pragma once

namespace tasuki::wilson {

// In place, of a spinor: 24 reals, [spin][colour][re, im].
void to_file_basis(double* spinor);
void to_memory_basis(double* spinor);

// In place, of a propagator at a site: 12 spinors, by spin and colour of the source.
void propagator_to_file_basis(double* spinors);
void propagator_to_memory_basis(double* spinors);

} // namespace tasuki::wilson
