#include <apps/argon/engine.hpp>

#include <apps/argon/all_pairs.hpp>
#include <apps/argon/interval.hpp>

#include <cmath>

namespace tasuki::argon {
namespace {

template <template <class> class Near, int Slots>
class EngineOf : public Engine {
public:
  EngineOf(Device& device, const GroupShape& shape, long most) : groups_(device, shape, most) {}
  void advance(const Batch& batch, const Laws& laws, long count) override {
    groups_.launch("interval", count, Interval<Near>{batch, laws});
  }

private:
  Groups<Interval<Near>, Slots> groups_;
};

} // namespace

EngineChoice choose_engine(const System&, const Dynamics&, DeviceKind) { return {}; }

std::unique_ptr<Engine> make_engine(Device& device, const System& system, const Dynamics& dynamics,
                                    long most) {
  (void)dynamics;
  const int atoms = static_cast<int>(system.atoms());
  GroupShape shape = AllPairs<void>::shape(atoms);
  shape.shared += Interval<AllPairs>::kShared;
  if (atoms <= 32) return std::make_unique<EngineOf<AllPairs, 1>>(device, shape, most);
  return std::make_unique<EngineOf<AllPairs, 4>>(device, shape, most);
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
  // A dense system's volume varies by sqrt(kT kappa / V), about 0.13 / sqrt(N) of itself.
  laws.barostat_step = dynamics.barostat_step > 0 ? dynamics.barostat_step : 0.2 / std::sqrt(n);
  laws.seed = dynamics.seed;
  laws.skin = static_cast<float>(choice.skin_nm);
  laws.list_room = choice.list_room;
  return laws;
}

} // namespace tasuki::argon
