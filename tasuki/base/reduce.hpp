// Reductions of numbers over ranks; the result is the same on every rank.
//
//   const double slowest = reduce_max(world, seconds() - begun);
//
// `ranks`: a world, or some of its ranks (see subset()). All functions are
// collective over them, and throw Error if a rank of this host dies meanwhile.
#pragma once

#include <tasuki/base/ranks.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tasuki {

// Reduces each element of a list over the ranks; all lists have the same length. T: int, long, long
// long, std::uint64_t, double. The bits of a sum of doubles depend on the order of MPI's additions.
template <class T>
std::vector<T> reduce_sum(const Ranks& ranks, std::vector<T> mine);
template <class T>
std::vector<T> reduce_min(const Ranks& ranks, std::vector<T> mine);
template <class T>
std::vector<T> reduce_max(const Ranks& ranks, std::vector<T> mine);

template <class T>
T reduce_sum(const Ranks& ranks, T mine) {
  return reduce_sum(ranks, std::vector<T>{mine})[0];
}
template <class T>
T reduce_min(const Ranks& ranks, T mine) {
  return reduce_min(ranks, std::vector<T>{mine})[0];
}
template <class T>
T reduce_max(const Ranks& ranks, T mine) {
  return reduce_max(ranks, std::vector<T>{mine})[0];
}

// Combines bytes of two ranks, in any order: merger_of<merge, bytes>
// wraps a function merge(const char* from, char* into).
using Merger = void (*)(void* from, void* into, int* count, MPI_Datatype*);
template <auto merge, std::size_t bytes>
inline constexpr Merger merger_of = [](void* from, void* into, int* count, MPI_Datatype*) {
  for (std::size_t k = 0; k < static_cast<std::size_t>(*count); ++k)
    merge(static_cast<const char*>(from) + k * bytes, static_cast<char*>(into) + k * bytes);
};
std::vector<char> reduce_by(const Ranks& ranks, Merger merger,
                            std::vector<char> mine); // mine: as many bytes as one call of merge combines

// True on every rank of this rank's node if `here` is true on one of them.
bool any_rank_of_node(World& world, bool here);

// Returns after all ranks have called it. `why`: what is waited for, in the message of a rank that waits long.
void barrier(const Ranks& ranks, const char* why = "the other ranks");

// Seconds of a monotonic clock with an arbitrary origin.
double seconds();

} // namespace tasuki
