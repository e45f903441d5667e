// Memory of the host: its free bytes, memory of one rank, and memory that the ranks of a node share. Internal.
#pragma once

#include <tasuki/base/ranks.hpp>

#include <cstddef>
#include <vector>

namespace tasuki {

// Bytes that may still be allocated: the kernel's MemAvailable, or less if a control group has a limit.
std::size_t free_host_memory();

// Zeroes memory with the threads that will sweep it, each its own part, so that pages are local to those cores (NUMA).
void zero_in_parallel(char* data, std::size_t bytes);

// Zeroed memory, in huge pages if it is large; null if there is not enough memory.
char* allocate_host(std::size_t bytes);
void deallocate_host(char* data) noexcept;

// Shared memory of one node: one piece per rank, zeroed, aligned to 256 bytes or more. Construction and destruction are
// collective over `ranks`, which are all of one node; other ranks of the node need not call.
//
// The memory is an MPI shared-memory window. If the file system behind windows (/dev/shm, 64 MiB in many containers) is
// too small, it is an in-memory file per rank that the others map. TASUKI_SHARED=window or file forces one of the two.
class NodeMemory {
public:
  // `zeroed` false: the owners zero their pieces themselves, with the threads that will use them. `at`: reserved addresses
  // (PROT_NONE) at which the pieces lie one behind the other, in whole pages; they stay reserved when it ends.
  NodeMemory(const Ranks& ranks, std::size_t bytes, bool zeroed = true, char* at = nullptr);
  ~NodeMemory();
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;

  char* data(int place) const { return data_.at(static_cast<std::size_t>(place)); } // null if its size is 0
  std::size_t bytes(int place) const { return bytes_.at(static_cast<std::size_t>(place)); }

private:
  void make_window(const Ranks& ranks);
  void make_files(const Ranks& ranks);

  std::vector<std::size_t> bytes_; // by position among the ranks
  std::vector<char*> data_;
  MPI_Win window_ = MPI_WIN_NULL;
  bool files_ = false;
  char* at_ = nullptr;
};

} // namespace tasuki
