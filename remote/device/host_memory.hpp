// Memory of the device that the host stands in for: an arena at a given address, module variables, the heap of kernels, and
// memory of the process that was registered. Kernels reach nothing else.
#pragma once

#include <remote/device/device.hpp>
#include <remote/ptx/memory.hpp>

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
  void add(std::uint64_t at, std::uint64_t bytes); // registered
  void remove(std::uint64_t at);
  std::uint64_t free_bytes() const { return limit_ - used_; }
  // Of module variables, at the same address in each process that asks for the same in the same order.
  std::uint64_t variables(std::uint64_t bytes);
  // Whether copies may touch the range: all of it where it lies in the arena; other memory is this process's own.
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
  std::vector<std::atomic<std::uint8_t>> mapped_; // by granule
  std::uint64_t variables_ = 0, variables_end_ = 0;
  mutable std::shared_mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> others_; // from, to
  std::map<std::uint64_t, std::unique_ptr<std::uint64_t[]>> heap_;
};

} // namespace tasuki::remote
