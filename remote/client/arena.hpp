// The addresses of a virtual device: given out here, mapped by the worker.
//
//   Arena arena(base, 512ull << 30, {.map = .., .unmap = ..});
//   u64 p = arena.allocate(1 << 20);     // 256-byte aligned; 0: the memory is out
//   arena.release(p, busy);              // busy: kernels that were issued may still use it
//   arena.settled();                     // the device has finished all that was issued
//
// A range that was released while the device was busy is given out again only after settled(), so that a release waits for
// nothing. Memory is mapped in units of 32 MiB or of the allocation, whichever is larger; when memory is short, units that
// are wholly free are given back and smaller ones mapped.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>

namespace tasuki::remote {

class Arena {
public:
  struct Worker {
    std::function<bool(std::uint64_t address, std::uint64_t bytes)> map; // false: the device has no more
    std::function<void(std::uint64_t address, std::uint64_t bytes)> unmap;
    std::function<void()> settle; // waits until the device has finished all that was issued
  };
  static constexpr std::uint64_t granule = 2u << 20;
  static constexpr std::uint64_t unit = 32u << 20;
  static constexpr std::uint64_t alignment = 256;

  Arena(std::uint64_t base, std::uint64_t bytes, Worker worker);

  std::uint64_t allocate(std::uint64_t bytes);
  // False: no allocation begins at this address.
  bool release(std::uint64_t address, bool busy);
  void settled();

  struct Range {
    std::uint64_t address, bytes;
  };
  // The allocation that holds this address.
  std::optional<Range> find(std::uint64_t address) const;

  std::uint64_t base() const { return base_; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t mapped() const { return mapped_; }
  std::uint64_t used() const { return used_; } // by allocations

private:
  using Ranges = std::map<std::uint64_t, std::uint64_t>; // address, bytes
  std::uint64_t take(std::uint64_t bytes);
  bool grow(std::uint64_t bytes);
  bool give_back();
  static void insert(Ranges& ranges, std::uint64_t address, std::uint64_t bytes);

  std::uint64_t base_, bytes_;
  Worker worker_;
  Ranges units_;   // as they were mapped
  Ranges free_;    // mapped, and of nobody
  Ranges resting_; // released while the device was busy
  Ranges live_;
  std::uint64_t mapped_ = 0, used_ = 0;
};

} // namespace tasuki::remote
