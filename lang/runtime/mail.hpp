// Messages without data between nodes, received in the order of sending: post and wait, and synchronisation of images.
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

  // Arguments are ranks of the world. post() does not wait; earlier stores are visible after the matching wait().
  void post(int to, long tag);
  void wait(std::optional<int> from, std::optional<long> tag);
  void meet(const std::vector<int>& others); // returns when each of them has called meet() as often

private:
  World& world_;
  MPI_Comm posts_ = MPI_COMM_NULL, meetings_ = MPI_COMM_NULL;
  std::vector<MPI_Request> sent_;
};

// The nodes that number the images of the statement after `image`; null: the executing nodes, or the coarray's own.
struct Numbering {
  explicit Numbering(World&) {}
  const NodesObject* nodes = nullptr;
};
// The rank of an image in this numbering; nothing if no such directive precedes the statement.
std::optional<int> numbered(long image);

} // namespace tasuki::xmp
