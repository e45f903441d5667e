// Collectives of bytes over a set of ranks, by MPI.
//
//   std::vector<char> all(bytes * ranks.size());
//   gather_bytes(ranks, mine, bytes, all.data(), "the values of the other ranks");
//
// All are collective over `ranks`, and throw Error if a rank of this host dies meanwhile; `why`: for the message of
// a rank that waits long.
#pragma once

#include <tasuki/base/ranks.hpp>

#include <vector>

namespace tasuki {

// Gathers `bytes` bytes of each rank on all ranks, by place; in all less than 2 GiB.
void gather_bytes(const Ranks& ranks, const void* mine, long bytes, void* all, const char* why);
// Gathers counts[p] bytes of the rank at place p, one after another.
void gather_bytes(const Ranks& ranks, const void* mine, const std::vector<int>& counts, void* all,
                  const char* why);
// Broadcasts any number of bytes of the rank at place `from`.
void broadcast_bytes(const Ranks& ranks, void* value, long bytes, int from, const char* why);

} // namespace tasuki
