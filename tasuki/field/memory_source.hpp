// A memory source gives a field the bytes of this rank's block, knows which ranks reach them, and takes them back.
//
//   class Mapped : public FieldMemory { .. };                    // adding a source: what it gives,
//   MemorySource mapped(std::string path) {                      // and how it is asked for it
//     return {"a file", [=](const MemoryWish& wish) { return std::make_unique<Mapped>(path, wish.bytes); }};
//   }
#pragma once

#include <tasuki/device/device.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace tasuki {

// What rows are aligned for: the origin of a field lies as its memory does, and memory begins at a multiple of this.
inline constexpr std::size_t kFieldAlignment = 64;

// Bytes that the cells of a field and their halo lie in. Destroyed when no field holds them any more, by all ranks
// together: then they go back to whoever gave them.
class FieldMemory {
public:
  virtual ~FieldMemory() = default;
  virtual char* data() const = 0;
  // Whether ranks of the node store into each other's; the same on every rank. Where they do not, halos are packed and
  // unpacked by their owners, or copied within the rank.
  virtual bool reached() const = 0;
  // Of another rank of the node as this rank addresses it. Only where reached().
  virtual char* peer(int node_rank) const = 0;
};

struct MemoryWish {
  Device& device;
  std::string field; // its name, for errors
  std::size_t bytes = 0;
  int number = 0; // of this memory among those of the world, the same on every rank
};

struct MemorySource {
  std::string name;                                                    // the same on every rank
  std::function<std::unique_ptr<FieldMemory>(const MemoryWish&)> lend; // collective
};

// Memory that the device allots, zeroed, and that ranks of a node reach.
MemorySource own_memory();

// A user's, of this rank alone: he gave it, and frees it when no field holds it any more. It is left as it is. Throws Error
// on every rank where some rank's is null, misaligned, or not of the device.
MemorySource memory_at(void* start);

} // namespace tasuki
