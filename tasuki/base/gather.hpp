// What each rank has, put together in the order of the ranks: for small things that all have to know.
//
// `ranks`: a world, or some of it (see subset()). Among some, a rank's number is its place, and rank 0 is the first.
#pragma once

#include <tasuki/base/ranks.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace tasuki {

// The values of all ranks on every rank; each rank may bring another number of them, the same at each call. It takes
// log2 of the ranks' number of rounds.
class Gather {
public:
  Gather(const Ranks& ranks, int mine); // how many values this rank brings. Collective.

  // Returns when all have come; a rank of this host that dies meanwhile is an Error. Collective.
  const std::vector<double>& operator()(const std::vector<double>& mine);

  int first(int rank) const { return starts_[rank]; } // where a rank's values begin
  int count(int rank) const { return counts_[rank]; }

private:
  int ring_place(int rank, int blocks) const;

  Ranks ranks_;
  std::vector<int> counts_, starts_;
  std::vector<double> all_, ring_; // by rank, and from this rank's round the ring
};

// The bytes of all ranks on rank 0, a piece a rank; empty elsewhere. Collective.
std::vector<std::vector<char>> gather_on_root(const Ranks& ranks, const std::vector<char>& mine);

// Calls take() on rank 0 for each rank in their order, with its bytes; one piece is there at a time. Collective.
void gather_in_turn(const Ranks& ranks, const void* mine, std::size_t bytes,
                    const std::function<void(int rank, const std::vector<char>& bytes)>& take);

namespace detail {
std::vector<char> gather_bytes(const Ranks& ranks, const char* mine, std::size_t bytes);
}

// The rows of all ranks on every rank, in their order; T: plain values, each row as long as every other. Collective.
template <class T>
std::vector<T> gather_rows(const Ranks& ranks, const std::vector<T>& mine) {
  static_assert(std::is_trivially_copyable_v<T>, "rows travel as bytes");
  const std::size_t bytes = mine.size() * sizeof(T);
  const std::vector<char> all =
      detail::gather_bytes(ranks, reinterpret_cast<const char*>(mine.data()), bytes);
  std::vector<T> rows(mine.size() * static_cast<std::size_t>(ranks.size()));
  if (bytes) std::memcpy(rows.data(), all.data(), all.size());
  return rows;
}

// Each rank's bytes go to the rank `by` places behind it, round the ring. Returns what came. Collective.
std::vector<char> pass_on(const Ranks& ranks, const std::vector<char>& mine, int by = 1);

// The number of rank 0 on every rank. Collective.
long of_root(const Ranks& ranks, long number);
std::uint64_t of_root(const Ranks& ranks, std::uint64_t number);
double of_root(const Ranks& ranks, double number);

// The text of one rank on every rank. Collective.
void share(const Ranks& ranks, std::string& text, int from = 0);

// True on every rank where it is on one. A rank of this host that dies meanwhile is an Error. Collective.
bool any_rank(const Ranks& ranks, bool here);

} // namespace tasuki
