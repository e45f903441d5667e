// The processes that a gate has started, one a connection, and the memory where they count.
#pragma once

#include <sys/types.h>
#include <remote/server/gate/visitor.hpp>
#include <remote/server/visit/greeting.hpp>

#include <asio/posix/stream_descriptor.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace tasuki::remote {

struct Child {
  pid_t process = -1;
  std::unique_ptr<asio::posix::stream_descriptor> channel; // Requests come, Answers and lanes go
  std::string peer;
  Tally* tally = nullptr;
  Request request; // the last one
  bool proven = false, claimed = false, granted = false;
  unsigned char lane[16] = {};
  std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now(); // its start, then its grant
  std::chrono::steady_clock::time_point told{};
  std::chrono::steady_clock::time_point stopped{}; // by SIGSTOP; none: it runs
};

// Tallies in memory that is shared with children to come. A gate has at most so many connections at a time.
class Tallies {
public:
  static constexpr std::size_t kMost = 4096;
  Tallies();
  ~Tallies();
  Tallies(const Tallies&) = delete;
  Tallies& operator=(const Tallies&) = delete;
  Tally* take(); // of zeros; null where all are taken
  void give(Tally* tally) { free_.push_back(tally); }

private:
  void* memory_;
  std::vector<Tally*> free_;
};

struct Started {
  pid_t process = -1; // -1: none could be had
  Descriptor channel;
};

// A process that receives the visitor. It has no descriptor of the gate but its channel, and ends with the gate.
Started start_child(Visitor visitor, const Serve& serve);

} // namespace tasuki::remote
