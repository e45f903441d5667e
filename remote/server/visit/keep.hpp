// What a client and the process that keeps its bytes say to each other, behind the grant.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tasuki::remote {

enum class KeepDo : std::uint32_t { add = 1, read = 2, settle = 3 };

struct KeepHead { // add: `bytes` of them follow
  KeepDo what = KeepDo::add;
  std::uint32_t unused = 0;
  std::uint64_t at = 0, bytes = 0;
};
static_assert(sizeof(KeepHead) == 24);

struct KeepAnswer {       // of read, where its bytes follow if all is well, and of settle
  std::int32_t error = 0; // errno of the first that has failed
  std::uint32_t unused = 0;
};

constexpr std::size_t kMostPiece = std::size_t(8) << 20; // bytes of an add or a read

} // namespace tasuki::remote
