// A file of memory that another process gave: its size must not change, or pages could be taken away beneath whoever uses them.
//
//   seal(file);                                       // of one's own, once it has its size
//   if (sealed_bytes(file) < (1 << 20)) refuse();     // of another's
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdint>

namespace tasuki::remote {

inline bool seal(int file) noexcept {
  return fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
}

// The bytes that the file has and keeps; 0: it may shrink.
inline std::uint64_t sealed_bytes(int file) noexcept {
  struct stat about {};
  const int seals = fcntl(file, F_GET_SEALS);
  const bool kept = seals >= 0 && (seals & F_SEAL_SHRINK) && fstat(file, &about) == 0;
  return kept ? static_cast<std::uint64_t>(about.st_size) : 0;
}

} // namespace tasuki::remote
