// What a client says of its device with each beat, for `tasuki gpus top`: numbers alone, which are shown and not believed.
#pragma once

#include <cstdint>

namespace tasuki::remote {

struct Report {
  static constexpr std::uint64_t none = ~0ull;

  std::uint64_t waits_for =
      none;                    // the number of the call that a thread of the program has waited for longest
  std::uint64_t waited = 0;    // ms
  std::uint64_t log = none;    // bytes; none: no log is kept
  std::uint64_t image = none;  // bytes of the last image; none: there is none
  std::uint64_t image_age = 0; // ms
  std::uint64_t replicas = 0;  // that compute the same now; 0: it has none
  std::uint64_t agreed = 0;    // copies to the program
  std::uint64_t differed = 0;  // at first
  std::uint64_t faults = 0;    // workers that were replaced, and errors of kernels
};
static_assert(sizeof(Report) == 72, "it is sent as it lies");

} // namespace tasuki::remote
