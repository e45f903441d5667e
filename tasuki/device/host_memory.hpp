// Memory of the host: what is free, memory of one rank, and memory that the ranks of a node share. Internal.
#pragma once

#include <tasuki/base/ranks.hpp>

#include <cstddef>
#include <vector>

namespace tasuki {

// Bytes that may still be used: what the kernel calls available, or less where a control group is limited.
std::size_t free_host_memory();

// Zeroes with the threads that will sweep it, each its share, so that pages lie near the cores that use them.
void zero_in_parallel(char* data, std::size_t bytes);

// Zeroed, in huge pages where it is large; null where it does not fit.
char* allocate_host(std::size_t bytes);
void deallocate_host(char* data) noexcept;

// One piece a rank, zeroed, aligned to 256 bytes or more. Made and destroyed by all of `ranks` together, which are of one
// node; others of it take no part.
//
// An MPI shared-memory window, or, where the file system behind it (/dev/shm, 64 MiB in many containers) has no
// room, a file in memory of each rank that the others map. TASUKI_SHARED=window or file takes one of them.
class NodeMemory {
public:
  NodeMemory(const Ranks& ranks, std::size_t bytes);
  ~NodeMemory();
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;

  char* data(int place) const { return data_.at(static_cast<std::size_t>(place)); } // null if it has 0 bytes
  std::size_t bytes(int place) const { return bytes_.at(static_cast<std::size_t>(place)); }

private:
  void make_window(const Ranks& ranks);
  void make_files(const Ranks& ranks);

  std::vector<std::size_t> bytes_; // by place among the ranks
  std::vector<char*> data_;
  MPI_Win window_ = MPI_WIN_NULL;
  bool files_ = false;
};

} // namespace tasuki
