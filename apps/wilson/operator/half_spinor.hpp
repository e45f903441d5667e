// What of a spinor travels into a neighbour's halo.
#pragma once

#include <tasuki/field/codec.hpp>

#include <memory>

namespace tasuki::wilson {

// Below a block along an axis (1 + gamma) psi is wanted, above it (1 - gamma) psi. Along x, y and z the upper half of
// that stands for it, and the halo's lower half stays 0: projecting the halo cell once more gives the same numbers. Along
// t one half of psi is all that is read. `planes`: of the field; what follows the 24 numbers, a scale, travels as it is.
std::shared_ptr<const Codec> half_spinor(int planes);

} // namespace tasuki::wilson
