// Numbers of all ranks made one, the same on every rank.
//
//   const double slowest = reduce_max(world, seconds() - begun);
//
// All of these are collective, and a rank of this host that dies meanwhile is an Error.
#pragma once

#include <tasuki/base/world.hpp>

#include <cstdint>
#include <vector>

namespace tasuki {

// Of each place of the list over the ranks, which all bring lists of one length. T: int, long, long long, std::uint64_t,
// double. A sum of doubles has the bits that MPI's order gives it.
template <class T>
std::vector<T> reduce_sum(World& world, std::vector<T> mine);
template <class T>
std::vector<T> reduce_min(World& world, std::vector<T> mine);
template <class T>
std::vector<T> reduce_max(World& world, std::vector<T> mine);

template <class T>
T reduce_sum(World& world, T mine) {
  return reduce_sum(world, std::vector<T>{mine})[0];
}
template <class T>
T reduce_min(World& world, T mine) {
  return reduce_min(world, std::vector<T>{mine})[0];
}
template <class T>
T reduce_max(World& world, T mine) {
  return reduce_max(world, std::vector<T>{mine})[0];
}

// True on every rank of this rank's node where it is on one of them.
bool any_rank_of_node(World& world, bool here);

// Returns when all ranks have come. `why`: what a rank that waits long says that it waits for.
void barrier(World& world, const char* why = "the other ranks");

// Of a clock that only goes on, from some time in the past.
double seconds();

} // namespace tasuki
