// Words between nodes that come in the order in which they were sent: post and wait, and images that wait for each other.
// Internal.
#pragma once

#include "run_time.hpp"

#include <optional>
#include <vector>

namespace tasuki::xmp {

class Mail {
public:
  explicit Mail(World& world); // collective
  ~Mail();
  Mail(const Mail&) = delete;
  Mail& operator=(const Mail&) = delete;

  // Ranks of the world. A post does not wait; what was stored before it is seen behind the wait that takes it.
  void post(int to, long tag);
  void wait(std::optional<int> from, std::optional<long> tag);
  void meet(const std::vector<int>& others); // returns when each of them has met this rank as often

private:
  World& world_;
  MPI_Comm posts_ = MPI_COMM_NULL, meetings_ = MPI_COMM_NULL;
  std::vector<MPI_Request> sent_;
};

} // namespace tasuki::xmp
