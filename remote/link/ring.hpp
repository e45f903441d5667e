// Bytes from one process to another through memory that both have: one writes, one reads.
//
// The counts only grow; a byte's place is its count modulo the size. Each side keeps its own count to itself and believes
// nothing of the other's but that it lies within the ring, so that a peer which writes nonsense ends the link and no more.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tasuki::remote {

struct RingHead {
  alignas(64) std::atomic<std::uint64_t> written{0};
  alignas(64) std::atomic<std::uint64_t> taken{0};
  // Words to sleep at: rung after `written` or `taken` has grown, where somebody sleeps.
  alignas(64) std::atomic<std::uint32_t> data_bell{0};
  std::atomic<std::uint32_t> reader_sleeps{0};
  alignas(64) std::atomic<std::uint32_t> room_bell{0};
  std::atomic<std::uint32_t> writer_sleeps{0};
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);

constexpr std::size_t kRingBytes = std::size_t(1)
                                   << 21; // each way: within a core's cache, and a large copy's two halves

struct Shared {
  RingHead to_client, to_worker;
  std::atomic<std::uint32_t> ended{0}; // either side set it: nothing more comes
  alignas(4096) unsigned char client_bytes[kRingBytes];
  alignas(4096) unsigned char worker_bytes[kRingBytes];
};

} // namespace tasuki::remote
