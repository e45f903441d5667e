// A ring buffer in shared memory of two processes: one writes bytes, the other reads them.
//
// Both counts only increase; the position of a byte is its count modulo the size. Each side keeps a private copy of its
// own count and checks that the other's count is within the ring, so that a faulty peer can only end the link.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tasuki::remote {

struct RingHead {
  alignas(64) std::atomic<std::uint64_t> written{0};
  alignas(64) std::atomic<std::uint64_t> taken{0};
  // Futex words: incremented after `written` or `taken` has increased, if the other side sleeps.
  alignas(64) std::atomic<std::uint32_t> data_bell{0};
  std::atomic<std::uint32_t> reader_sleeps{0};
  alignas(64) std::atomic<std::uint32_t> room_bell{0};
  std::atomic<std::uint32_t> writer_sleeps{0};
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);

constexpr std::size_t kRingBytes = std::size_t(1)
                                   << 21; // each way: fits into a cache, with two halves of a large copy

struct Shared {
  RingHead to_client, to_worker;
  std::atomic<std::uint32_t> ended{0}; // set by either side: no more bytes follow
  alignas(4096) unsigned char client_bytes[kRingBytes];
  alignas(4096) unsigned char worker_bytes[kRingBytes];
};

} // namespace tasuki::remote
