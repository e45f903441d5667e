// Correlators of mesons and baryons from a propagator.
#pragma once

#include <apps/wilson/lattice/lattice.hpp>
#include <apps/wilson/lattice/su3.hpp>

#include <array>
#include <complex>
#include <vector>

namespace tasuki::wilson {

// The propagator S from the source to one site: s[spin][colour][spin of the source][colour of the source].
struct SitePropagator {
  Complex<double> s[kSpins][kColours][kSpins][kColours];
};

// The contribution of one site. On average all of them are positive, forwards in time.
struct SiteTerms {
  double pion = 0; // tr S S^dagger
  double rho = 0;  // mean over k of tr A S A^dagger S^dagger, A = gamma_5 gamma_k
  // With N = eps_abc (u_a^T C gamma_5 d_b) u_c and C = gamma_y gamma_t, u and d of the same mass: the trace of
  // (1 + gamma_t) / 2 <N N-bar>, and of (1 - gamma_t) / 2: the partner of other parity (Montvay and Muenster, Quantum
  // Fields on a Lattice, sect. 5.1.4).
  Complex<double> nucleon{}, nucleon_backward{};
};
SiteTerms site_terms(const SitePropagator& propagator);

// Sums over the sites of each time slice; t counts from the slice of the source.
struct Correlators {
  std::vector<double> pion, rho;
  std::vector<std::complex<double>> nucleon, nucleon_backward;
};

// 12 columns of this rank's sites, in site order: column = spin * 3 + colour of the source. Slices before the source
// are reached across the time boundary: the nucleon is multiplied by the phase of three quarks, exp(3 i pi theta) per
// axis, so that a correlator does not depend on the position of its source. Sums are exact except for a final
// rounding: the same bits on any number of ranks. Collective.
Correlators contract(const Lattice& lattice, const std::vector<std::vector<double>>& columns,
                     const std::array<long, kAxes>& source, const std::array<double, kAxes>& thetas);

} // namespace tasuki::wilson
