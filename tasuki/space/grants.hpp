// Which of this rank's threads may go on because a lock is theirs now: the keeper of the locks says so to the rank's courier,
// so who waits for a lock asks nobody meanwhile.
//
//   Grants grants;
//   grants.give(ticket);                                    // by the courier, before or while the thread waits
//   while (!grants.wait(ticket, std::chrono::seconds(1))) ..; // true once it has been given
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>

namespace tasuki::space {

class Grants {
public:
  void give(std::uint64_t ticket);
  // Sleeps until the ticket has been given, at most so long. A ticket is given once and waited for once.
  bool wait(std::uint64_t ticket, std::chrono::milliseconds most);

private:
  std::mutex mutex_;
  std::condition_variable given_now_;
  std::set<std::uint64_t> given_;
};

} // namespace tasuki::space
