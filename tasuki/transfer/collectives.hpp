// Collectives of bytes, flat or in two levels: within a node by shared memory, between nodes by one rank of each node.
//
//   const std::vector<char> all = all_gather(ranks, &mine, sizeof mine); // of every rank, in the order of their places
//   fold_all(ranks, &least, sizeof least, [](char* into, const char* from) { .. });
//   meet(ranks, "the other nodes at a barrier");
//
// All are collective over `ranks`, with the same bytes and the same way on each, and throw Error if a rank of this
// host dies meanwhile. Results are the same bits by either way. Before the first over some ranks of a world only, all
// of them call tuning(world), which is collective the first time.
#pragma once

#include <tasuki/base/ranks.hpp>
#include <tasuki/route/tuning.hpp>

#include <functional>
#include <vector>

namespace tasuki {

enum class CollectiveWay {
  chosen, // by what `tasuki tune` measured
  flat,   // MPI's own, over all ranks
  levels  // within each node by memory, between nodes by one rank of each
};

// Adds the bytes of another rank to those of `into`. Any order and grouping of ranks has to give the same bits.
using Folding = std::function<void(char* into, const char* from)>;

// The most bytes per rank for two levels; more bytes go flat.
constexpr long kMostByLevels = 4096;

// Returns when all ranks have called it. `why`: for the message of a rank that waits long.
void meet(const Ranks& ranks, const char* why, CollectiveWay way = CollectiveWay::chosen);
// The bytes of all ranks, by place: bytes * ranks.size().
std::vector<char> all_gather(const Ranks& ranks, const void* mine, long bytes,
                             CollectiveWay way = CollectiveWay::chosen);
// Bytes of the rank at place `from`, on all.
void broadcast(const Ranks& ranks, void* value, long bytes, int from,
               CollectiveWay way = CollectiveWay::chosen);
// The bytes of all ranks folded into one, on all.
void fold_all(const Ranks& ranks, void* value, long bytes, const Folding& fold,
              CollectiveWay way = CollectiveWay::chosen);

// Which way is taken: two levels where nodes have several of the ranks, a rank has few bytes, and
// they were not slower when they were measured. `ranks_of_nodes`: how many of them each node has.
CollectiveWay way_of(const DeviceConstants& measured, const std::vector<int>& ranks_of_nodes, long bytes);

} // namespace tasuki
