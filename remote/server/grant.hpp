// What the gate grants a client: one virtual device, for as long as its link lives.
#pragma once

#include <remote/link/report.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace tasuki::remote {

struct Share;
class Admissions;

// A client's last report: written by one process, read by another. Numbers of two reports may be mixed.
class ToldReport {
public:
  void set(const Report& report) {
    std::uint64_t numbers[count];
    std::memcpy(numbers, &report, sizeof numbers);
    for (std::size_t n = 0; n < count; ++n) numbers_[n].store(numbers[n], std::memory_order_relaxed);
    there_.store(true, std::memory_order_release);
  }
  bool there() const { return there_.load(std::memory_order_acquire); }
  Report get() const {
    std::uint64_t numbers[count];
    for (std::size_t n = 0; n < count; ++n) numbers[n] = numbers_[n].load(std::memory_order_relaxed);
    Report report;
    std::memcpy(&report, numbers, sizeof numbers);
    return report;
  }

private:
  static constexpr std::size_t count = sizeof(Report) / sizeof(std::uint64_t);
  std::array<std::atomic<std::uint64_t>, count> numbers_{};
  std::atomic<bool> there_{false};
};

// What a worker does, in memory that the gate reads for `tasuki gpus top`: it asks no worker, so none can hold it up.
struct Tally {
  std::atomic<std::uint64_t> calls{0};
  std::atomic<std::uint64_t> bytes_in{0}, bytes_out{0}; // counted at the link
  std::atomic<std::uint64_t> memory{0};                 // bytes that are mapped
  ToldReport told;                                      // by its client
};

struct Grant {
  int device = 0;           // of the host's list, as the client chose it; -1: none, its bytes are kept
  int gpu = 0;              // behind it
  std::uint64_t memory = 0; // bytes that the client may map; 0: all there is
  std::string program = ""; // as the client calls itself: for `tasuki gpus top` alone, and not to be believed
  Tally* tally = nullptr;   // of this worker; null: nobody looks
  Share* share = nullptr;   // of the GPU's time; null: it is not shared
  int slot = -1;            // of this client there
  bool ucx = false;         // the client's bytes go by it
  Admissions* admissions = nullptr;        // of workers of the client's other devices; null: none can come
  std::chrono::microseconds keep_alive{0}; // of idleness, after which the device is touched; 0: it is not
};

} // namespace tasuki::remote
