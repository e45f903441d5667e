// The locks of a space on the rank that manages them: who holds which lock, who waits, and which pages
// were written under locks since the last synchronisation. It sends no messages: callers ask it.
//
//   Locks locks;
//   locks.take(3, ticket);                     // true where lock 3 is this ticket's now, who came first being first
//   locks.release(3, ticket, node, {17, 18});  // pages 17 and 18 were written
//   locks.since(position, 100, node);          // what others have written in the next 100 places of the log
//
// There is one log for all locks: what a rank saw under one lock, the next holder of another lock from it also sees.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tasuki::space {

class Locks {
public:
  bool take(std::uint64_t lock, std::uint64_t ticket);
  // The result: the ticket whose lock it is now, if one waits for it. Throws Error if the ticket does not hold the lock.
  std::optional<std::uint64_t> release(std::uint64_t lock, std::uint64_t ticket, int node,
                                       const std::vector<std::uint64_t>& pages);
  // Each page once, ascending.
  std::vector<std::uint64_t> since(std::uint64_t position, std::uint64_t most, int node) const;
  std::uint64_t end() const;
  void forget(); // at a synchronisation

private:
  struct Written {
    std::uint64_t page;
    int node;
  };
  mutable std::mutex mutex_; // the courier answers, the program's thread forgets
  std::unordered_map<std::uint64_t, std::deque<std::uint64_t>> waiting_; // tickets by lock; the first has it
  std::vector<Written> log_;
};

} // namespace tasuki::space
