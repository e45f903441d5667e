// Random delays where threads and ranks wait for each other, for tests: TASUKI_CHAOS=seed. A race condition then
// changes a bit of the results.
#pragma once

#include <tasuki/base/world.hpp>

#include <cstdint>
#include <optional>

namespace tasuki {

// One object per thread.
class Chaos {
public:
  // The seed from the environment variable, if it is set. Throws Error if it is not a number.
  static std::optional<std::uint64_t> seed();

  Chaos(std::uint64_t seed, const World& world, int thread);
  // Usually returns at once; otherwise waits some microseconds, yields, or waits a fraction of a millisecond.
  void delay();

private:
  std::uint64_t next();
  std::uint64_t state_;
};

} // namespace tasuki
