// A device of memory alone, for tests of what lies above: copies and fills are done at once, and a launch of kernel "halve"
// runs here. Its bytes lie at the arena's addresses in this process.
#pragma once

#include <remote/device/device.hpp>
#include <remote/wire/reserve.hpp>

#include <sys/mman.h>

#include <atomic>

#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace tasuki::remote {

class MemoryDevice : public Device {
public:
  explicit MemoryDevice(std::uint64_t memory = 256u << 20) {
    properties_.name = "memory";
    properties_.memory = memory;
    for (int n = 0; n < 128; ++n) properties_.attributes[n] = 1024;
    properties_.attributes[10] = 32;
  }
  ~MemoryDevice() override {
    join();
    if (bytes_) munmap(reinterpret_cast<void*>(base_), bytes_);
  }
  const Properties& properties() const override { return properties_; }
  std::uint64_t free_memory() const override {
    std::lock_guard hold(mutex_);
    return properties_.memory - mapped_;
  }
  void reserve(Address base, std::uint64_t bytes) override {
    if (!reserve_at(base, bytes)) throw DeviceError(Status::memory_allocation, "taken", "ask for another");
    base_ = base;
    bytes_ = bytes;
  }
  std::uint64_t granularity() const override { return 2u << 20; }
  void map(Address at, std::uint64_t bytes) override {
    std::lock_guard hold(mutex_);
    if (at % granularity() || bytes % granularity() || at < base_ || bytes > bytes_ - (at - base_))
      throw DeviceError(Status::invalid_value, "not of the arena", "ask inside");
    if (mapped_ + bytes > properties_.memory)
      throw DeviceError(Status::memory_allocation, "no more", "free some");
    const auto next = units_.lower_bound(at);
    if ((next != units_.end() && next->first < at + bytes) ||
        (next != units_.begin() && std::prev(next)->first + std::prev(next)->second > at))
      throw DeviceError(Status::invalid_value, "mapped already", "unmap it");
    mprotect(reinterpret_cast<void*>(at), bytes, PROT_READ | PROT_WRITE);
    units_[at] = bytes;
    mapped_ += bytes;
  }
  void unmap(Address at, std::uint64_t bytes) override {
    std::lock_guard hold(mutex_);
    const auto found = units_.find(at);
    if (found == units_.end() || found->second != bytes)
      throw DeviceError(Status::invalid_value, "not mapped", "map it");
    madvise(reinterpret_cast<void*>(at), bytes, MADV_DONTNEED);
    mprotect(reinterpret_cast<void*>(at), bytes, PROT_NONE);
    units_.erase(found);
    mapped_ -= bytes;
  }
  void register_host(void*, std::uint64_t) override {}
  void unregister_host(void*) override {}
  LibraryId load(Bytes) override { return 1; }
  void unload(LibraryId) override {}
  KernelId kernel(LibraryId, const std::string& name) override {
    if (name != "halve")
      throw DeviceError(Status::invalid_device_function, "no kernel " + name, "call halve");
    return 7;
  }
  KernelInfo info(KernelId) const override {
    KernelInfo info;
    info.parameters = {{0, 8}, {8, 4}};
    info.max_threads = 1024;
    info.max_dynamic_shared = 49152;
    return info;
  }
  void set(KernelId, KernelAttribute, int) override {}
  Variable variable(LibraryId, const std::string&) override {
    throw DeviceError(Status::invalid_symbol, "none", "have none");
  }
  int occupancy(KernelId, int, std::uint64_t) const override { return 2; }
  void launch(const Launch&, Bytes parameters) override { // halve(float* x, int n)
    if (parameters.size != 12) throw DeviceError(Status::invalid_value, "not 12 bytes", "pass x and n");
    Address x = 0;
    std::int32_t n = 0;
    std::memcpy(&x, parameters.data, 8);
    std::memcpy(&n, static_cast<const char*>(parameters.data) + 8, 4);
    if (n < 0) throw DeviceError(Status::invalid_value, "n below 0", "count up");
    if (x % sizeof(float)) throw DeviceError(Status::invalid_value, "x is no float's address", "align it");
    need(x, 4ull * static_cast<unsigned>(n));
    for (int i = 0; i < n; ++i) reinterpret_cast<float*>(x)[i] *= 0.5f;
  }
  void copy_in(Address to, const void* from, std::uint64_t bytes, StreamId) override {
    need(to, bytes);
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  }
  void copy_out(void* to, Address from, std::uint64_t bytes, StreamId) override {
    need(from, bytes);
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  }
  void copy(Address to, Address from, std::uint64_t bytes, StreamId) override {
    need(to, bytes);
    need(from, bytes);
    std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  }
  void copy_2d(const Copy2D& c, StreamId) override {
    few(c.height);
    for (std::uint64_t y = 0; y < c.height; ++y) {
      const std::uint64_t to = c.to + y * c.to_pitch, from = c.from + y * c.from_pitch;
      if (inside(to)) need(to, c.width);
      if (inside(from)) need(from, c.width);
      std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), c.width);
    }
  }
  void fill(Address to, std::uint32_t value, int element, std::uint64_t width, std::uint64_t height,
            std::uint64_t pitch, StreamId) override {
    few(height);
    for (std::uint64_t y = 0; y < height; ++y) {
      need(to + y * pitch, width * element);
      std::memset(reinterpret_cast<void*>(to + y * pitch), static_cast<int>(value), width * element);
    }
  }
  std::uint64_t digest(Address, std::uint64_t, StreamId) override { return 0; }
  StreamId create_stream(unsigned, int) override { return ++numbers_; }
  void destroy_stream(StreamId) override {}
  void synchronize(StreamId) override { join(); }
  bool done(StreamId) override {
    std::lock_guard hold(functions_mutex_);
    return functions_.empty();
  }
  void wait(StreamId, EventId) override {}
  void stop(StreamId, Stop stop) override {
    std::lock_guard hold(functions_mutex_);
    functions_.emplace_back([stop = std::move(stop)] { stand_at(stop); });
  }
  EventId create_event(unsigned) override { return ++numbers_; }
  void destroy_event(EventId) override {}
  void record(EventId, StreamId) override {}
  void synchronize_event(EventId) override {}
  bool event_done(EventId) override { return true; }
  float elapsed(EventId, EventId) override { return 0; }
  void word(StreamId, const WordOperation& w) override { need(w.at, 8); }
  void begin_capture(StreamId) override { none(); }
  GraphId end_capture(StreamId, std::uint64_t&) override { return none(); }
  bool captured(StreamId) const override { return false; }
  ExecutableId instantiate(GraphId, unsigned) override { return none(); }
  void launch_graph(ExecutableId, StreamId) override { none(); }
  void destroy_graph(GraphId) override {}
  void destroy_executable(ExecutableId) override {}
  void synchronize() override { join(); }
  Status fault() const override { return Status::success; }

private:
  static std::uint64_t none() {
    throw DeviceError(Status::not_supported, "graphs of memory alone", "take the host's device");
  }
  // So many rows are no test's, but of a frame that was changed.
  static void few(std::uint64_t rows) {
    if (rows > 10000) throw DeviceError(Status::invalid_value, "more rows than a test has", "have fewer");
  }
  void join() {
    std::lock_guard hold(functions_mutex_);
    for (auto& function : functions_) function.join();
    functions_.clear();
  }
  bool inside(Address at) const { return at >= base_ && at - base_ < bytes_; }
  void need(Address at, std::uint64_t bytes) const {
    std::lock_guard hold(mutex_);
    while (bytes) { // units that touch are one range
      auto found = units_.upper_bound(at);
      if (found == units_.begin() || (--found, at >= found->first + found->second))
        throw DeviceError(Status::invalid_value, "memory that is not mapped", "map it");
      const std::uint64_t here = std::min(bytes, found->first + found->second - at);
      at += here;
      bytes -= here;
    }
  }
  std::mutex functions_mutex_;
  std::vector<std::thread> functions_;
  Properties properties_;
  Address base_ = 0;
  std::uint64_t bytes_ = 0, mapped_ = 0;
  std::map<Address, std::uint64_t> units_;
  mutable std::mutex mutex_;
  std::atomic<std::uint64_t> numbers_{16};
};

} // namespace tasuki::remote
