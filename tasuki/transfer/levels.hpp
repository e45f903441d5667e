// Collectives of a set of ranks in two levels: by shared memory within each node, and by one rank of each node between them.
//
//   Levels levels(ranks);                                // collective, once
//   levels.gather(mine, 8, all.data());                  // 8 bytes of each, by place
#pragma once

#include <tasuki/base/ranks.hpp>
#include <tasuki/device/host_memory.hpp>
#include <tasuki/transfer/collectives.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

namespace tasuki {

// Turns are numbered. A rank stores its bytes and then the number of the turn into its own memory, and readers wait for that
// number. The bytes are double-buffered: before a buffer is written again, all ranks have reached the turn between, so they
// have read it.
class Levels {
public:
  explicit Levels(const Ranks& ranks);
  Levels(const Levels&) = delete;
  Levels& operator=(const Levels&) = delete;

  void gather(const char* mine, long bytes, char* all, const char* why); // up to kMostByLevels
  void fold(char* value, long bytes, const Folding& fold, const char* why);

private:
  struct alignas(64) Signs {
    std::atomic<std::uint64_t> come; // the turn for which this rank's bytes are there
    std::atomic<std::uint64_t> full; // of a node's first rank: the turn for which the result is there
  };
  Signs& signs(int place) const { return *reinterpret_cast<Signs*>(memory_->data(place)); }
  char* bytes_of(int place) const; // of this turn
  char* result() const;            // the first rank's, of this turn
  void come(const char* mine, long bytes);
  void wait_for(int place, const char* why) const; // until it has come to this turn
  template <class Act>
  void first_rank_does(long bytes, char* into, const char* why, const Act& act);
  void between(const char* mine, int bytes, std::vector<char>& all, bool one_each, const char* why) const;

  Ranks ranks_, node_;
  std::optional<Ranks> first_; // the first ranks of the nodes, of which this may be one
  std::vector<int> nodes_;     // ranks of each node in the order of first_
  std::vector<int> places_;    // places of all ranks, in the order of nodes_ and of the ranks of each
  std::optional<NodeMemory> memory_;
  std::uint64_t turn_ = 0;
};

} // namespace tasuki
