// A file of memory that another process gave: its size must not change, or pages could be taken away beneath whoever uses them.
//
//   seal(file);                           // of one's own, once it has its size
//   if (!holds(file, 1 << 20)) refuse();  // of another's
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdint>

namespace tasuki::remote {

inline bool seal(int file) noexcept {
  return fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
}

// Whether the file has at least so many bytes, and keeps them.
inline bool holds(int file, std::uint64_t bytes) noexcept {
  struct stat about {};
  const int seals = fcntl(file, F_GET_SEALS);
  return seals >= 0 && (seals & F_SEAL_SHRINK) && fstat(file, &about) == 0 &&
         static_cast<std::uint64_t>(about.st_size) >= bytes;
}

} // namespace tasuki::remote
