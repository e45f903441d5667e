// Gauge-invariant Gaussian smearing of colour vectors in space.
#pragma once

#include <apps/wilson/gauge/gauge.hpp>
#include <apps/wilson/lattice/spinor_field.hpp>

namespace tasuki::wilson {

// chi <- chi + width^2 / (4 steps) D chi, `steps` times, for each of the spins of chi as for a vector of its own, with
//   D chi(n) = sum over k = x, y, z of [U_k(n) chi(n + k) + U_k(n - k)^dagger chi(n - k) - 2 chi(n)].
// That is exp(width^2 D / 4) for many steps (Guesken, Nucl. Phys. B Proc. Suppl. 17, 361 (1990); as chroma does it).
// The links as they are: without the phases of a quark's boundary. Collective.
void smear(const Gauge& gauge, double width, long steps, SpinorField& chi);

} // namespace tasuki::wilson
