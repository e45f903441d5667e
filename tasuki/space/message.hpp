// The messages between the ranks of a space. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tasuki::space {

enum class Ask : std::uint32_t {
  fetch,   // runs of pages follow: their bytes
  hold,    // likewise: bring them up to date at synchronisations from now on
  keep,    // patches follow, of pages written since the last synchronisation
  settle,  // patches follow, for others to see before the next synchronisation
  notices, // pages to drop, then patches of pages that are held
  changes, // which pages have been changed by their own ranks
  lock,    // granted?, and pages that were written under locks
  unlock,  // pages follow that were written
  granted, // the keeper's word that a lock is this ticket's now
  add,     // atomic acts on 4 or 8 bytes
  exchange,
  compare,
  read_step, // of arrays over devices: the bytes of a step of their addresses
  keep_steps // likewise: patches of steps follow, `ticket` is the rank that wrote them
};

// A number for each wish of a thread to have a lock: the rank, and a count of its own.
inline std::uint64_t ticket_of(int rank, std::uint64_t count) {
  return static_cast<std::uint64_t>(rank) << 40 | count;
}
inline int rank_of_ticket(std::uint64_t ticket) { return static_cast<int>(ticket >> 40); }

// The head of every question.
struct Head {
  Ask ask = Ask::fetch;
  std::int32_t node = 0;      // of the rank that asks
  std::uint64_t number = 0;   // lock, byte of the range, or how many pages to drop
  std::uint64_t ticket = 0;   // of the rank that wants a lock; bytes of an atomic number
  std::uint64_t position = 0; // in the log of locks
  std::uint64_t value = 0, expected = 0;
};

struct PageRun {
  std::uint64_t first = 0, count = 0;
};

inline constexpr std::size_t kPagesInReply = 1024;              // of what has changed under locks
inline constexpr std::size_t kMostBytes = std::size_t{4} << 20; // of a question

template <class T>
void put(std::vector<char>& out, const T& value) {
  const std::size_t end = out.size();
  out.resize(end + sizeof value);
  std::memcpy(out.data() + end, &value, sizeof value);
}

template <class T>
T get(const char* from, std::size_t place = 0) {
  T value;
  std::memcpy(&value, from + place * sizeof value, sizeof value);
  return value;
}

// Does an atomic operation on a number of head.ticket bytes; returns what was there.
std::uint64_t act_on(char* number, const Head& head);

inline std::vector<char> question(const Head& head) {
  std::vector<char> out;
  put(out, head);
  return out;
}

} // namespace tasuki::space
