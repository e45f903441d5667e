#include <apps/argon/physics/starts.hpp>

#include <apps/argon/engine/apart.hpp>
#include <apps/argon/physics/normal.hpp>

#include <cmath>
#include <utility>

namespace tasuki::argon {
namespace {

constexpr std::uint32_t kNobody = 0xfffffffeu; // whose random numbers melt a start
constexpr int kMeltSteps = 2000, kCoolSteps = 1000;

} // namespace

void draw_velocities(const Dynamics& dynamics, double mass, std::uint32_t number, double temperature, long n,
                     float* velocity) {
  const float width = static_cast<float>(std::sqrt(kBoltzmann * temperature / mass));
  double sum[3] = {0, 0, 0};
  for (long i = 0; i < n; ++i) {
    const Normals r =
        normals(philox(counter_of(static_cast<std::uint32_t>(i), number, 0, Purpose::start), dynamics.seed));
    const float v[3] = {width * r.x, width * r.y, width * r.z};
    for (int axis = 0; axis < 3; ++axis) {
      velocity[axis * n + i] = v[axis];
      sum[axis] += static_cast<double>(v[axis]);
    }
  }
  for (int axis = 0; axis < 3; ++axis) // the whole stands still
    for (long i = 0; i < n; ++i)
      velocity[axis * n + i] -= static_cast<float>(sum[axis] / static_cast<double>(n));
}

std::vector<std::int64_t> start_places(Device& device, const System& system, const Dynamics& dynamics,
                                       Start kind) {
  const long n = system.atoms();
  const std::vector<double> crystal = system.crystal();
  State state(state_bytes(n));
  const StateParts p = parts_of(state, n);
  p.own[0] = system.box_nm();
  for (long i = 0; i < n; ++i)
    for (int axis = 0; axis < 3; ++axis)
      p.place[axis * n + i] =
          static_cast<std::int64_t>(crystal[static_cast<std::size_t>(3 * i + axis)] * kWholeBox);
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
