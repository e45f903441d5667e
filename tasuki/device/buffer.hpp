// Memory of a device.
#pragma once

#include <tasuki/base/ranks.hpp>
#include <tasuki/device/device.hpp>

#include <cstddef>
#include <memory>

namespace tasuki {

class NodeMemory;

enum class Memory {
  device, // of the device itself
  pinned, // of the host, that a GPU reads and writes directly (plain memory in a host world)
};

// Memory of this rank alone, zeroed, aligned to 256 bytes or more. Throws Error with the bytes asked for and free.
class Buffer {
public:
  Buffer() = default;
  Buffer(Device& device, std::size_t bytes, Memory memory = Memory::device);
  ~Buffer();
  Buffer(Buffer&&) noexcept;
  Buffer& operator=(Buffer&&) noexcept;

  char* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

private:
  void release();
  DeviceKind kind_ = DeviceKind::host;
  Memory memory_ = Memory::device;
  char* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// Device memory that ranks of a node lend each other, zeroed, aligned to 256 bytes or more: CUDA IPC for GPUs,
// an MPI shared-memory window on the host. Made and destroyed by those ranks together; bytes may differ.
class SharedBuffer {
public:
  SharedBuffer(Device& device, std::size_t bytes); // all ranks of the node
  // Those of `ranks` that are on this node, and the others take no part: SharedBuffer(device, subset(world, {0, 2}), bytes).
  SharedBuffer(Device& device, const Ranks& ranks, std::size_t bytes);
  ~SharedBuffer();
  SharedBuffer(const SharedBuffer&) = delete;
  SharedBuffer& operator=(const SharedBuffer&) = delete;

  char* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  // The memory of another rank of the node as this rank addresses it. Throws Error where device.reaches(node_rank)
  // is false, and where that rank takes no part; null where it has 0 bytes. Opened at first use, so the first call takes a while.
  char* peer(int node_rank) const;

private:
  struct Lent;
  Device& device_;
  Ranks ranks_; // of this node, those that lend
  char* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::unique_ptr<NodeMemory> host_;
  std::unique_ptr<Lent> lent_; // CUDA
};

// Between a device and plain host memory, after what is enqueued on device.stream(); returns when done.
void copy_to_host(Device& device, void* to, const void* from, std::size_t bytes);
void copy_to_device(Device& device, void* to, const void* from, std::size_t bytes);

} // namespace tasuki
