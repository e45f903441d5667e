// Races on shared memory: two warps access a byte between barriers, and one of them writes it. Accesses within a warp
// are ordered; volatile and atomic accesses are allowed. Any barrier of the block counts for all threads. Some races
// are therefore not detected, but every reported race is one.
#pragma once

#include <cstdint>
#include <vector>

namespace tasuki::remote::ptx {

class Races {
public:
  void begin(std::uint64_t bytes) {
    touched_.assign(bytes, {});
    since_ = 1;
  }
  void barrier() { ++since_; }

  struct Found {
    bool race = false;
    bool wrote = false; // the other warp wrote
    int warp = 0;
    std::uint32_t line = 0; // of its instruction
  };
  // Records that a warp reads or writes bytes of shared memory in this line, and returns a race if there is one.
  Found touch(std::uint64_t at, unsigned bytes, int warp, std::uint32_t line, bool write);

private:
  struct Touched {
    std::uint32_t since = 0; // number of barriers before the entry
    int writer = kNobody, reader = kNobody;
    std::uint32_t written = 0, read = 0; // lines
  };
  static constexpr int kNobody = -1;
  std::vector<Touched> touched_; // by byte
  std::uint32_t since_ = 1;
};

} // namespace tasuki::remote::ptx
