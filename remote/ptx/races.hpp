// Races on shared memory: two warps touch a byte between barriers, and one of them writes it. Within a warp order is kept, and
// what is volatile or atomic is meant; any barrier of the block counts for all, so some races are not seen, and none is
// reported that is not one.
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
    bool wrote = false; // the other
    int warp = 0;
    std::uint32_t line = 0; // of its instruction
  };
  // A warp reads or writes bytes of shared memory by the instruction of this line.
  Found touch(std::uint64_t at, unsigned bytes, int warp, std::uint32_t line, bool write);

private:
  struct Touched {
    std::uint32_t since = 0; // barriers that were open then
    int writer = kNobody, reader = kNobody;
    std::uint32_t written = 0, read = 0; // lines
  };
  static constexpr int kNobody = -1;
  std::vector<Touched> touched_; // by byte
  std::uint32_t since_ = 1;
};

} // namespace tasuki::remote::ptx
