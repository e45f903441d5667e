// The random numbers of Argon: counters of tasuki/base/philox.hpp by use, key = the seed of the run, low word first:
//   {atom, replica, step, step >> 32 | purpose << 24}   dynamics, purposes below; atoms and replicas are below 2^32 - 1
//   {.., 0xffffffff, .., ..}                            exchange decisions
#pragma once

#include <tasuki/base/philox.hpp>

namespace tasuki::argon {

enum class Purpose : std::uint32_t { noise = 0, start = 1, thermostat = 2, barostat = 3 };

TS_HD Words counter_of(std::uint32_t atom, std::uint32_t replica, std::uint64_t step, Purpose purpose) {
  return {{atom, replica, static_cast<std::uint32_t>(step),
           (static_cast<std::uint32_t>(step >> 32) & 0xffffffu) | static_cast<std::uint32_t>(purpose) << 24}};
}

} // namespace tasuki::argon
