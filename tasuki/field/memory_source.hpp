// A memory source gives a field the bytes of this rank's block, knows which ranks reach them, and takes them back.
//
//   class Mapped : public FieldMemory { .. };                    // adding a source: what it gives,
//   MemorySource mapped(std::string path) {                      // and how it is asked for it
//     return {"a file", [=](const MemoryWish& wish) { return std::make_unique<Mapped>(path, wish.bytes); }};
//   }
#pragma once

#include <tasuki/device/device.hpp>
#include <tasuki/field/storage.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace tasuki {

// The alignment, in bytes, of the start of a field's memory: the alignment of rows relies on it.
inline constexpr std::size_t kFieldAlignment = 64;

class GridCore;

// Memories that all ranks of a world address, those of one space for example: what is written to one of them, others see
// after a synchronisation.
class CommonMemory {
public:
  virtual ~CommonMemory() = default;
  virtual void sync() = 0; // all ranks see what any rank wrote before. Collective
};

// The memory of a field's cells and their halo. Destroyed after the last field
// that holds it, by all ranks together; the memory then returns to its source.
class FieldMemory {
public:
  virtual ~FieldMemory() = default;
  virtual char* data() const = 0;
  // True if ranks of the node can store into each other's memory; the same on every rank. If false,
  // ranks pack the halos that they send and unpack those that they receive, or copy within the rank.
  virtual bool reached() const = 0;
  // The memory of another rank of the node, at this rank's address for it. Requires reached().
  virtual char* peer(int node_rank) const = 0;
  // The memory of any rank of the world, at this rank's address for it, and what synchronises it. Null where ranks of other
  // nodes have no address for it. The same on every rank.
  virtual char* anywhere(int /*rank*/) const { return nullptr; }
  virtual CommonMemory* common() const { return nullptr; }
  // True if the cells lie in memory of the host because the device has no room for them. Its kernels reach them there,
  // slowly; the executor streamed brings them to the device slab by slab. The same on every rank.
  virtual bool outside() const { return false; }
  // Elements from a component to the next; 0: as the grid's layout has it.
  virtual long component_stride() const { return 0; }
};

struct MemoryWish {
  Device& device;
  std::string field; // its name, for errors
  std::size_t bytes = 0;
  int number = 0;                       // of this memory among those of the world, the same on every rank
  std::shared_ptr<const GridCore> grid; // whose cells it holds, and how
  Storage storage;
};

struct MemorySource {
  std::string name;                                                    // the same on every rank
  std::function<std::unique_ptr<FieldMemory>(const MemoryWish&)> lend; // collective
  bool bands = false; // has the bands of a node's ranks in one memory, where the grid has bands
};

// Memory that the device allocates: zeroed, and accessible to the ranks of the node. Of the host, and accessible to this
// rank only, where the device of some rank has no room for it (field/room.hpp) and --executor is auto, and wherever it is
// streamed. Throws Error where another executor is asked for.
MemorySource own_memory();

// Memory of the user, accessible to this rank only. The user allocates it, and frees it after the last field that holds
// it. Its values are kept. Throws Error on every rank if the memory of any rank is null, misaligned, or not of the device.
MemorySource memory_at(void* start);

} // namespace tasuki
