// Gathers: the values of all ranks, in the order of ranks, for small data that all ranks need.
//
// `ranks`: a world, or some of its ranks (see subset()). In a subset, a rank's number is its position in the subset.
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

// The values of all ranks on every rank. Ranks may have different numbers of values,
// which stay the same in all calls. A gather takes log2(number of ranks) rounds.
class Gather {
public:
  Gather(const Ranks& ranks, int mine); // the number of values of this rank. Collective.

  // Returns when all values have arrived. Throws Error if a rank of this host dies meanwhile. Collective.
  const std::vector<double>& operator()(const std::vector<double>& mine);

  int first(int rank) const { return starts_[rank]; } // where a rank's values begin
  int count(int rank) const { return counts_[rank]; }

private:
  int ring_place(int rank, int blocks) const;

  Ranks ranks_;
  std::vector<int> counts_, starts_;
  std::vector<double> all_, ring_; // all_: by rank; ring_: cyclic order, from this rank on
};

// The bytes of all ranks on rank 0, one piece per rank; empty elsewhere. Collective.
std::vector<std::vector<char>> gather_on_root(const Ranks& ranks, const std::vector<char>& mine);

// Calls take() on rank 0 for each rank, in order, with its bytes; one piece at a time is in memory. Collective.
void gather_in_turn(const Ranks& ranks, const void* mine, std::size_t bytes,
                    const std::function<void(int rank, const std::vector<char>& bytes)>& take);

namespace detail {
std::vector<char> gather_bytes(const Ranks& ranks, const char* mine, std::size_t bytes);
}

// The rows of all ranks on every rank, in order; T: plain values; all rows have the same length. Collective.
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

// Sends each rank's bytes to the rank `by` places after it, cyclically. Returns the bytes received. Collective.
std::vector<char> pass_on(const Ranks& ranks, const std::vector<char>& mine, int by = 1);

// The number of rank 0, on every rank. Collective.
long of_root(const Ranks& ranks, long number);
std::uint64_t of_root(const Ranks& ranks, std::uint64_t number);
double of_root(const Ranks& ranks, double number);

// The text of one rank, on every rank. Collective.
void share(const Ranks& ranks, std::string& text, int from = 0);

// True on every rank if it is true on one. Throws Error if a rank of this host dies meanwhile. Collective.
bool any_rank(const Ranks& ranks, bool here);

} // namespace tasuki
