// Random delays where threads and ranks wait for each other, for tests: TASUKI_CHAOS=seed. A race then shows as a
// wrong bit.
#pragma once

#include <tasuki/base/world.hpp>

#include <cstdint>
#include <optional>

namespace tasuki {

// One a thread.
class Chaos {
public:
  // The seed that the environment gives, if it does. Throws Error where it is no number.
  static std::optional<std::uint64_t> seed();

  Chaos(std::uint64_t seed, const World& world, int thread);
  // Nothing, mostly; else some microseconds, a yield or a fraction of a millisecond.
  void delay();

private:
  std::uint64_t next();
  std::uint64_t state_;
};

} // namespace tasuki
