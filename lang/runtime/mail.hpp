// Words between nodes that come in the order in which they were sent: post and wait, and images that wait for each other.
// Internal.
#pragma once

#include "objects.hpp"

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

// Nodes by which images are numbered in the statement behind `image`; none: those that execute, or a coarray's own.
struct Numbering {
  explicit Numbering(World&) {}
  const NodesObject* nodes = nullptr;
};
// The rank of an image that is numbered by `image`; none where no such directive stands before the statement.
std::optional<int> numbered(long image);

} // namespace tasuki::xmp
