// The part of a spinor that travels into a neighbour's halo.
#pragma once

#include <tasuki/field/codec.hpp>

#include <memory>

namespace tasuki::wilson {

// The halo below a block along an axis needs (1 + gamma) psi, the halo above (1 - gamma) psi. Along x, y and z its
// upper half is stored and the lower half stays 0: projecting the halo cell again gives the same numbers. Along t only
// one half of psi is read. `planes`: of the field; planes after the 24 numbers (a scale) travel unchanged.
std::shared_ptr<const Codec> half_spinor(int planes);

} // namespace tasuki::wilson
