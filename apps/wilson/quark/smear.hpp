// Gauge-invariant Gaussian smearing of colour vectors in the spatial directions.
#pragma once

#include <apps/wilson/gauge/gauge.hpp>
#include <apps/wilson/lattice/spinor_field.hpp>

namespace tasuki::wilson {

// chi <- chi + width^2 / (4 steps) D chi, `steps` times, separately for each spin of chi, with
//   D chi(n) = sum over k = x, y, z of [U_k(n) chi(n + k) + U_k(n - k)^dagger chi(n - k) - 2 chi(n)].
// For many steps this is exp(width^2 D / 4) (Guesken, Nucl. Phys. B Proc. Suppl. 17, 361 (1990); the same in chroma).
// The links are used without the phases of a quark's boundary conditions. Collective.
void smear(const Gauge& gauge, double width, long steps, SpinorField& chi);

} // namespace tasuki::wilson
