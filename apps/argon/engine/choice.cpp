#include <apps/argon/engine/choice.hpp>

#include <apps/argon/physics/all_pairs.hpp>
#include <apps/argon/physics/interval.hpp>
#include <apps/argon/physics/neighbours.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tasuki::argon {

EngineChoice choose_engine(const System& system, const Dynamics& dynamics, bool gpu) {
  constexpr long kFewest = 400;             // atoms from which neighbour lists are faster
  constexpr double kSkin = 0.3, kWider = 0; // sigma
  constexpr double kDensest = 1.1;          // atoms per sigma^3, the highest local density expected
  const Substance& s = system.substance();
  const long n = system.atoms();
  if (dynamics.pairs == Pairs::all || (dynamics.pairs == Pairs::automatic && n < kFewest)) {
    EngineChoice all;
    all.shape = AllPairs<void>::shape(static_cast<int>(n));
    all.shape.shared += Interval<AllPairs>::kShared;
    return all;
  }
  const double skin = dynamics.skin_sigma > 0 ? dynamics.skin_sigma : kSkin;
  const double wider = dynamics.wider_sigma >= 0 ? dynamics.wider_sigma : kWider;
  const double reach = system.cutoff_nm() / s.sigma + skin + wider;
  const double density = static_cast<double>(n) / system.volume_nm3() * s.sigma * s.sigma * s.sigma;
  const double ball = 4.0 / 3 * std::numbers::pi * reach * reach * reach;
  const double entries = std::min(1.25 * ball * std::max(density, kDensest) + 16, static_cast<double>(n));
  EngineChoice choice;
  choice.lists = true;
  choice.list_room = (static_cast<int>(entries) + 3) / 4 * 4;
  choice.skin_nm = skin * s.sigma;
  choice.wide_nm = (skin + wider) * s.sigma;
  choice.shape = gpu ? Lists<void>::shape(static_cast<int>(n), choice.list_room, 32, 2)
                     : Lists<void>::shape(static_cast<int>(n), choice.list_room, 16, 4);
  choice.shape.shared += Interval<Lists>::kShared;
  return choice;
}

Laws laws_of(const System& system, const Dynamics& dynamics, const EngineChoice& choice) {
  const Substance& s = system.substance();
  const double n = static_cast<double>(system.atoms());
  Laws laws{};
  laws.matter = {s.epsilon,
                 s.sigma,
                 s.mass,
                 system.cutoff_nm(),
                 system.shift(),
                 n,
                 system.correction() == Correction::tail};
  laws.thermostat = dynamics.thermostat;
  laws.timestep = dynamics.timestep_ps;
  laws.friction = dynamics.friction_per_ps;
  laws.coupling = dynamics.coupling_ps;
  laws.degrees = dynamics.degrees(system.atoms());
  laws.edge = system.box_nm();
  laws.barostat_every = system.constant_pressure() ? dynamics.barostat_every : 0;
  // The volume of a dense system fluctuates by sqrt(kT kappa / V), relatively about 0.13 / sqrt(N).
  laws.barostat_step = dynamics.barostat_step > 0 ? dynamics.barostat_step : 0.2 / std::sqrt(n);
  laws.seed = dynamics.seed;
  laws.skin = static_cast<float>(choice.skin_nm);
  laws.wide_skin = static_cast<float>(choice.wide_nm);
  laws.list_room = choice.list_room;
  return laws;
}

} // namespace tasuki::argon
