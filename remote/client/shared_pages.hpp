// Pinned memory that the program can share with a worker of this host, so that the worker copies between it and the device
// without the link.
//
//   void* p = share_pages(64 << 20);            // null: it cannot be shared, and plain pages serve as well
//   if (auto where = shared_pages(p + 5, n)) lending.copy_in_now(to, *where, n, stream);
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
