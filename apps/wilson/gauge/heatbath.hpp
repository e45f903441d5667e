// Gauge fields in thermal equilibrium for the Wilson plaquette action (Wilson, Phys. Rev. D 10, 2445 (1974)), without
// quarks: weight exp(beta / 3 sum of Re tr U_p).
#pragma once

#include <apps/wilson/gauge/gauge.hpp>

#include <memory>

namespace tasuki::wilson {

struct Coupling {
  double beta = 6.0;
  double anisotropy = 1.0; // xi_0: beta / xi_0 for spatial plaquettes, beta xi_0 for those with time
};

// The part of the action that depends on the links: -beta / 3 sum of Re tr U_p. Collective.
double action(const Gauge& gauge, const Coupling& coupling);

// Updates the links by parity and axis, each through three SU(2) subgroups. The result of sweep `number` depends only
// on the field, the seed and the number: not on earlier sweeps, nor on the number of ranks.
class HeatBath {
public:
  // Throws Error unless beta >= 0 and anisotropy > 0.
  HeatBath(const Gauge& gauge, const Coupling& coupling, std::uint64_t seed);
  ~HeatBath();

  // Draws every link from its distribution for fixed neighbours. Numbers start at 1. Collective.
  void sweep(long number);
  // Reflects every link without a change of the action (Brown and Woch, Phys. Rev. Lett. 58, 2394 (1987); Creutz,
  // Phys. Rev. D 36, 515 (1987)). Collective.
  void over_relax(long times = 1);

private:
  struct Programs;
  Gauge gauge_;
  Coupling coupling_;
  std::uint64_t seed_;
  std::unique_ptr<Programs> programs_;
};

// Sweeps `first` to `last`, each a heat bath and a number of over-relaxations.
void thermalise(HeatBath& bath, long first, long last, long over_relaxations);

} // namespace tasuki::wilson
