// An array over ranks: each rank holds the elements that its alignment gives it, with
// a shadow, in the memory of the host, and, if requested, of an accelerator too.
//
//   Array a(host, world, "a", sizeof(double), Alignment({n, n}, t, {with(0), with(1)}), {{1, 1}, {1, 1}});
//   reflect({&a}, {});                                     // fills the shadows: tasuki/array/reflect.hpp
//   *a.at<double>({j, i}) = 3;                             // by global index, where this rank holds it
#pragma once

#include <tasuki/array/holding.hpp>
#include <tasuki/base/ranks.hpp>
#include <tasuki/device/buffer.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tasuki {

// The ranks of these nodes as a group. Called by all of them.
Ranks ranks_of(World& world, const Nodes& nodes);

// The memory of an array on one device: allocated for it, and shared with
// the ranks of the node if they may store into it; or memory of the caller.
class ArrayMemory {
public:
  ArrayMemory(Device& device, char* data) : device_(&device), data_(data) {}
  ArrayMemory(Device& device, long bytes);                     // of this rank alone
  ArrayMemory(Device& device, const Ranks& ranks, long bytes); // shared; collective over these

  Device& device() const { return *device_; }
  char* data() const { return data_; }
  bool shared() const { return shared_ != nullptr; }
  char* of(
      int rank) const; // of another rank of this node, as an address of this rank; null if it is not shared

private:
  Device* device_;
  Buffer own_;
  std::unique_ptr<SharedBuffer> shared_;
  char* data_ = nullptr;
};

// The memory of an array on the host, or on its device.
enum class Side { host, device };

class Array {
public:
  // Initially zero. If `memory` is null, the array allocates its own. Construction and destruction are collective over
  // the nodes; other ranks may take part. With a shadow, and over all ranks of the world, ranks of a node share memory.
  Array(Device& host, std::string name, long size, Alignment alignment, std::vector<Shadow> shadows,
        char* memory = nullptr);
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  const std::string& name() const { return name_; }
  std::uint64_t number() const { return number_; } // unique among this rank's arrays, never reused
  long size() const { return size_; }              // of an element, bytes
  int dims() const { return alignment_.dims(); }
  long extent(int dim) const { return alignment_.axes()[static_cast<std::size_t>(dim)].extent(); }
  const Alignment& alignment() const { return alignment_; }
  const Nodes& nodes() const { return alignment_.nodes(); }
  const std::vector<Shadow>& shadows() const { return shadows_; }
  World& world() const { return host_.device().world(); }
  bool everywhere() const; // over all ranks of the world

  int node() const { return node_; } // this rank's number among its nodes; below 0: none of them
  const Holding& holding() const { return holding_; }                                // of this rank
  Holding holding_of(int node) const { return {alignment_, shadows_, size_, node}; } // of any node
  bool shadowed() const;

  ArrayMemory& memory(Side side = Side::host) { return side == Side::device && device_ ? *device_ : host_; }
  bool has_device() const { return device_ != nullptr; }
  void on_device(std::shared_ptr<ArrayMemory> memory) { device_ = std::move(memory); } // null: none now

  template <class T>
  T* at(const std::vector<long>& index, Side side = Side::host) {
    return reinterpret_cast<T*>(memory(side).data() + holding_.offset(alignment_, index));
  }

private:
  std::string name_;
  std::uint64_t number_;
  long size_;
  Alignment alignment_;
  std::vector<Shadow> shadows_;
  int node_;
  Holding holding_;
  ArrayMemory host_;
  std::shared_ptr<ArrayMemory> device_;
};

} // namespace tasuki
