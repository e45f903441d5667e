#include <apps/argon/physics/crystal.hpp>

#include <apps/argon/engine/state.hpp>
#include <apps/argon/physics/normal.hpp>

#include <cmath>

namespace tasuki::argon {

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
  for (int axis = 0; axis < 3; ++axis) // removes the total momentum
    for (long i = 0; i < n; ++i)
      velocity[axis * n + i] -= static_cast<float>(sum[axis] / static_cast<double>(n));
}

std::vector<std::int64_t> crystal_places(const System& system) {
  const long n = system.atoms();
  const std::vector<double> crystal = system.crystal();
  std::vector<std::int64_t> places(static_cast<std::size_t>(3 * n));
  for (long i = 0; i < n; ++i)
    for (int axis = 0; axis < 3; ++axis)
      places[static_cast<std::size_t>(axis * n + i)] =
          static_cast<std::int64_t>(crystal[static_cast<std::size_t>(3 * i + axis)] * kWholeBox);
  return places;
}

} // namespace tasuki::argon
