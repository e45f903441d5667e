// Numbers of all ranks made one, the same on every rank.
//
//   const double slowest = reduce_max(world, seconds() - begun);
//
// `ranks`: a world, or some of it (see subset()). All of these are collective over them, and a rank of this host that
// dies meanwhile is an Error.
#pragma once

#include <tasuki/base/ranks.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tasuki {

// Of each number of the list over the ranks, which all bring lists of one length. T: int, long, long long, std::uint64_t,
// double. A sum of doubles has the bits that MPI's order gives it.
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

// How some bytes of two ranks become one, in any order: merger_of<merge, bytes> of a function merge(const char* from,
// char* into).
using Merger = void (*)(void* from, void* into, int* count, MPI_Datatype*);
template <auto merge, std::size_t bytes>
inline constexpr Merger merger_of = [](void* from, void* into, int* count, MPI_Datatype*) {
  for (std::size_t k = 0; k < static_cast<std::size_t>(*count); ++k)
    merge(static_cast<const char*>(from) + k * bytes, static_cast<char*>(into) + k * bytes);
};
std::vector<char> reduce_by(const Ranks& ranks, Merger merger,
                            std::vector<char> mine); // as many bytes as it merges at a time

// True on every rank of this rank's node where it is on one of them.
bool any_rank_of_node(World& world, bool here);

// Returns when all ranks have come. `why`: what a rank that waits long says that it waits for.
void barrier(const Ranks& ranks, const char* why = "the other ranks");

// Of a clock that only goes on, from some time in the past.
double seconds();

} // namespace tasuki
