// The memory of the host device: an arena at a given address, variables of modules, the heap of kernels, and registered
// memory of the process. Kernels can access nothing else.
#pragma once

#include <remote/device/device.hpp>
#include <remote/link/descriptor.hpp>
#include <remote/ptx/memory.hpp>
#include <remote/wire/ranges.hpp>

#include <atomic>
#include <map>
#include <shared_mutex>

namespace tasuki::remote {

class HostMemory : public ptx::Memory {
public:
  HostMemory(std::uint64_t limit, std::function<void(const std::string&)> print);
  ~HostMemory() override;

  static constexpr std::uint64_t kGranule = 2u << 20;

  void reserve(Address base, std::uint64_t bytes);
  void map(Address at, std::uint64_t bytes);
  void unmap(Address at, std::uint64_t bytes);
  // Memory of the arena of another process: see Device::adjoin.
  void adjoin(Address base, std::uint64_t bytes);
  int export_memory(Address at, std::uint64_t bytes) const;
  void import_memory(Address at, std::uint64_t bytes, int file);
  void forget_memory(Address at, std::uint64_t bytes);
  void add(std::uint64_t at, std::uint64_t bytes); // registered memory
  void remove(std::uint64_t at);
  std::uint64_t free_bytes() const { return limit_ - used_; }
  // For variables of modules; the addresses are the same in each process with the same sequence of calls.
  std::uint64_t variables(std::uint64_t bytes);
  // Whether copies may access the range: always outside of arenas; within one, if the whole range is mapped.
  bool covers(std::uint64_t at, std::uint64_t bytes) const;

  ptx::Range around(std::uint64_t address) const override;
  std::uint64_t allocate(std::uint64_t bytes) override;
  void release(std::uint64_t address) override;
  void print(const std::string& text) override { print_(text); }

private:
  void check_range(Address at, std::uint64_t bytes) const;

  const std::uint64_t limit_;
  const std::function<void(const std::string&)> print_;
  std::atomic<std::uint64_t> used_{0};
  Address base_ = 0;
  std::uint64_t bytes_ = 0;
  Descriptor file_; // the memory of the arena, at the same distance from its begin
  std::vector<std::atomic<std::uint8_t>> mapped_; // by granule
  std::uint64_t variables_ = 0, variables_end_ = 0;
  mutable std::shared_mutex mutex_;
  Ranges others_;
  Ranges adjoined_; // arenas of other processes; what is there of their memory is in others_
  std::map<std::uint64_t, std::unique_ptr<std::uint64_t[]>> heap_;
};

} // namespace tasuki::remote
