// The dice of a random test, and how long it goes on.
//
//   std::mt19937 dice(seed_of_test());             // TASUKI_TEST_SEED, or a new one each time; printed
//   for (int n = 0; n < longer(100000); ++n) ..    // a million under TASUKI_TEST_TIMES=10, as `make test-long` has it
#pragma once

#include <cstdio>
#include <cstdlib>
#include <random>

namespace tasuki::remote {

inline unsigned seed_of_test() {
  const char* given = std::getenv("TASUKI_TEST_SEED");
  const unsigned seed =
      given ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device()();
  std::printf("TASUKI_TEST_SEED=%u\n", seed);
  std::fflush(stdout); // it is known where the test hangs, too
  return seed;
}

inline int longer(int rounds) {
  const char* times = std::getenv("TASUKI_TEST_TIMES");
  return times ? rounds * std::atoi(times) : rounds;
}

} // namespace tasuki::remote
