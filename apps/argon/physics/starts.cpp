#include <apps/argon/physics/starts.hpp>

#include <apps/argon/engine/apart.hpp>

#include <algorithm>
#include <utility>

namespace tasuki::argon {
namespace {

constexpr std::uint32_t kNobody = 0xfffffffeu; // the replica number for the random numbers of melting
constexpr int kMeltSteps = 2000, kCoolSteps = 1000;

} // namespace

std::vector<std::int64_t> start_places(Device& device, const System& system, const Dynamics& dynamics,
                                       Start kind) {
  const long n = system.atoms();
  State state(state_bytes(n));
  const StateParts p = parts_of(state, n);
  p.own[0] = system.box_nm();
  const std::vector<std::int64_t> crystal = crystal_places(system);
  std::copy(crystal.begin(), crystal.end(), p.place);
  if (kind != Start::fcc) {
    SystemOptions closed{system.substance(),     n,
                         system.density_g_cm3(), system.cutoff_nm() / system.substance().sigma,
                         Correction::cut,        false};
    const double hot = 4 * system.substance().epsilon / kBoltzmann,
                 warm = 1.5 * system.substance().epsilon / kBoltzmann;
    Dynamics melting;
    melting.timestep_ps = 0.001 * system.substance().time();
    melting.friction_per_ps = 1 / system.substance().time();
    melting.seed = dynamics.seed;
    melting.pairs = dynamics.pairs;
    draw_velocities(melting, system.substance().mass, kNobody, hot, n, p.velocity);
    Apart apart(device, System(closed), melting, {kNobody});
    std::vector<State> states{state};
    apart.put(states);
    const int frozen = kind == Start::half ? static_cast<int>(n / 2) : 0;
    long step = 0;
    for (const auto& [kelvin, steps] : {std::pair{hot, kMeltSteps}, std::pair{warm, kCoolSteps}}) {
      apart.advance({{static_cast<float>(kelvin), 0}}, {}, step, steps, frozen);
      step += steps;
    }
    apart.take(states);
    state = states[0];
  }
  const StateParts q = parts_of(state, n);
  return {q.place, q.place + 3 * n};
}

} // namespace tasuki::argon
