// Pinned memory of the program's that a worker of this host can have too, so that copies between it and the device are the
// worker's own.
//
//   void* p = share_pages(64 << 20);            // null: it cannot be shared, and plain pages serve as well
//   if (auto where = shared_pages(p + 5, n)) device.copy_in_shared(to, *where, n, stream, Wait::yes);
//   unshare_pages(p);                           // once nothing is copied there any more
#pragma once

#include <remote/wire/fields.hpp>

#include <optional>

namespace tasuki::remote {

// Bytes that lie whole in a segment of shared memory.
struct SharedPlace {
  u64 segment = 0, offset = 0;
  u64 segment_bytes = 0;
  int file = -1;
};

constexpr u64 shared_least = 64u << 10; // smaller copies go with the calls

void* share_pages(u64 bytes);
std::optional<SharedPlace> shared_pages(const void* address, u64 bytes);
// Its segment, 0 where it was none; the pages are gone.
u64 unshare_pages(void* address);

} // namespace tasuki::remote
