#include <tasuki/device/chaos.hpp>

#include <sched.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

namespace tasuki {

std::optional<std::uint64_t> Chaos::seed() {
  const char* text = std::getenv("TASUKI_CHAOS");
  if (!text) return {};
  const std::string word = text;
  std::uint64_t seed = 0;
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), seed);
  if (fault != std::errc{} || end != word.data() + word.size())
    throw Error("TASUKI_CHAOS is '" + word + "'",
                "set it to the seed of random delays, a number, or not at all");
  return seed;
}

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
