// What the gate grants a client: one virtual device, for as long as its link lives.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace tasuki::remote {

struct Share;

// What a worker does, in memory that the gate reads for `tasuki gpus top`: it asks no worker, so none can hold it up.
struct Tally {
  std::atomic<std::uint64_t> calls{0};
  std::atomic<std::uint64_t> bytes_in{0}, bytes_out{0}; // counted at the link
  std::atomic<std::uint64_t> memory{0};                 // bytes that are mapped
};

struct Grant {
  int device = 0;           // of the host's list, as the client chose it
  int gpu = 0;              // behind it
  std::uint64_t memory = 0; // bytes that the client may map; 0: all there is
  std::string program = ""; // as the client calls itself: for `tasuki gpus top` alone, and not to be believed
  Tally* tally = nullptr;   // of this worker; null: nobody looks
  Share* share = nullptr;   // of the GPU's time; null: it is not shared
  int slot = -1;            // of this client there
  std::chrono::microseconds keep_alive{0}; // of idleness, after which the device is touched; 0: it is not
};

} // namespace tasuki::remote
