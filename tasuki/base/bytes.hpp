// Bytes of ranks on all of them, by MPI's own collectives.
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

// The same number of each rank, by place; all together below 2 GiB.
void gather_bytes(const Ranks& ranks, const void* mine, long bytes, void* all, const char* why);
// As many of the rank at each place as `counts` says, one behind the other.
void gather_bytes(const Ranks& ranks, const void* mine, const std::vector<int>& counts, void* all,
                  const char* why);
// Any number from the rank at a place.
void broadcast_bytes(const Ranks& ranks, void* value, long bytes, int from, const char* why);

} // namespace tasuki
