// Gauge fields in thermal equilibrium of the Wilson plaquette action (Wilson, Phys. Rev. D 10, 2445 (1974)), without
// quarks: weight exp(beta / 3 sum of Re tr U_p).
#pragma once

#include <apps/wilson/gauge/gauge.hpp>

#include <memory>

namespace tasuki::wilson {

struct Coupling {
  double beta = 6.0;
  double anisotropy = 1.0; // xi_0: beta / xi_0 of the plaquettes of space, beta xi_0 of those with time
};

// The action's part that depends on the links, beta / 3 sum of Re tr U_p, with its sign: -that. Collective.
double action(const Gauge& gauge, const Coupling& coupling);

// One link after another, parity by parity and axis by axis, through three SU(2) subgroups each. What sweep `number`
// does depends on the field, the seed and the number alone: not on what ran before, nor on the ranks.
class HeatBath {
public:
  // Throws Error unless beta >= 0 and anisotropy > 0.
  HeatBath(const Gauge& gauge, const Coupling& coupling, std::uint64_t seed);
  ~HeatBath();

  // Every link drawn anew, given those around it. Number from 1. Collective.
  void sweep(long number);
  // Every link reflected, so that the action stays as it is (Brown and Woch, Phys. Rev. Lett. 58, 2394 (1987); Creutz,
  // Phys. Rev. D 36, 515 (1987)). Collective.
  void over_relax(long times = 1);

private:
  struct Programs;
  Gauge gauge_;
  Coupling coupling_;
  std::uint64_t seed_;
  std::unique_ptr<Programs> programs_;
};

// Sweeps first to last, each one heat bath and some over-relaxations.
void thermalise(HeatBath& bath, long first, long last, long over_relaxations);

} // namespace tasuki::wilson
