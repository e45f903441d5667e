// A range of this process's addresses that nothing else gets, with no memory behind it: a client and its workers keep the same
// one for an arena.
//
//   if (!reserve_at(0x400000000000, 1ull << 30)) return false;   // something else lies there
//   munmap(reinterpret_cast<void*>(0x400000000000), 1ull << 30); // gives it back
#pragma once

#include <sys/mman.h>

#include <cstdint>

namespace tasuki::remote {

// True where programs may have memory. The thread sanitizer leaves two ranges to them, and ends a program that asks for others.
inline bool addresses_of_programs([[maybe_unused]] std::uint64_t at,
                                  [[maybe_unused]] std::uint64_t bytes) noexcept {
#if defined(__SANITIZE_THREAD__)
  const auto within = [&](std::uint64_t from, std::uint64_t to) {
    return at >= from && at < to && bytes <= to - at;
  };
  return within(0x1000, 0x8000000000) || within(0x7e8000000000, 0x800000000000);
#else
  return true;
#endif
}

// `at` and `bytes` are whole pages. False: some of it is taken.
inline bool reserve_at(std::uint64_t at, std::uint64_t bytes) noexcept {
  if (!addresses_of_programs(at, bytes)) return false;
  void* got = mmap(reinterpret_cast<void*>(at), bytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == MAP_FAILED) return false;
  if (reinterpret_cast<std::uint64_t>(got) == at) return true;
  munmap(got, bytes); // a kernel before 4.17 does not know the flag
  return false;
}

} // namespace tasuki::remote
