#include <tasuki/device/chaos.hpp>

#include <tasuki/base/variables.hpp>

#include <sched.h>

#include <chrono>
#include <thread>

namespace tasuki {

std::optional<std::uint64_t> Chaos::seed() { return variable_number<unsigned long>("TASUKI_CHAOS"); }

Chaos::Chaos(std::uint64_t seed, const World& world, int thread)
    : state_(seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(world.rank()) * 1024 +
             static_cast<std::uint64_t>(thread)) {}

std::uint64_t Chaos::next() { // splitmix64
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

void Chaos::delay() {
  const std::uint64_t draw = next();
  const auto kind = draw % 64;
  if (kind >= 12) return;
  if (kind == 0) {
    std::this_thread::sleep_for(std::chrono::microseconds((draw >> 32) % 200));
  } else if (kind < 4) {
    sched_yield();
  } else {
    const auto until = std::chrono::steady_clock::now() + std::chrono::nanoseconds((draw >> 32) % 4000);
    while (std::chrono::steady_clock::now() < until) {}
  }
}

} // namespace tasuki
