// Memory of a device.
#pragma once

#include <tasuki/base/ranks.hpp>
#include <tasuki/device/device.hpp>

#include <cstddef>
#include <memory>

namespace tasuki {

class NodeMemory;

enum class Memory {
  device, // memory of the device itself
  pinned, // page-locked host memory, accessible to a GPU (plain memory in a host world)
};

// Memory of this rank only, zeroed, aligned to 256 bytes or more. Throws Error with the requested and the free bytes.
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

// Device memory that is accessible to ranks of a node, zeroed, aligned to 256 bytes or more: CUDA IPC for GPUs, an MPI
// shared-memory window on the host. Construction and destruction are collective over these ranks; sizes may differ.
class SharedBuffer {
public:
  SharedBuffer(Device& device, std::size_t bytes); // all ranks of the node
  // Collective over those of `ranks` that are on this node: SharedBuffer(device, subset(world, {0, 2}), bytes).
  SharedBuffer(Device& device, const Ranks& ranks, std::size_t bytes);
  ~SharedBuffer();
  SharedBuffer(const SharedBuffer&) = delete;
  SharedBuffer& operator=(const SharedBuffer&) = delete;

  char* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  // The memory of another rank of the node, mapped into this rank. Throws Error if device.reaches(node_rank) is false,
  // or if that rank takes no part; null if its size is 0. The first call is slow, since it opens the mapping.
  char* peer(int node_rank) const;

private:
  struct Lent;
  Device& device_;
  Ranks ranks_; // the participating ranks, all of this node
  char* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::unique_ptr<NodeMemory> host_;
  std::unique_ptr<Lent> lent_; // CUDA
};

// Copies between a device and plain host memory, after the work enqueued on device.stream(). Blocks until done.
void copy_to_host(Device& device, void* to, const void* from, std::size_t bytes);
void copy_to_device(Device& device, void* to, const void* from, std::size_t bytes);
// To the device, beside what is enqueued, and also while its stream is recorded in a Graph. Blocks until done.
void store_at_once(Device& device, void* to, const void* from, std::size_t bytes);

} // namespace tasuki
