// A copy between any two places, in a stream: which device takes part follows from the addresses, and from the direction
// where an address is that of a variable.
#pragma once

#include <remote/runtime/program.hpp>

namespace tasuki::remote {

struct Side {
  VirtualDevice* device; // null: the host
  u64 address;
  void* host() const { return reinterpret_cast<void*>(address); }
};
struct Sides {
  Side to, from;
};
// Throws Failure where the direction is none.
Sides sides_of(void* to, const void* from, cudaMemcpyKind kind, const On& on);

// Whether the program may go on before the bytes have come to the host: they go to pinned memory, and it said Async.
enum class Wait { yes, no };

void copy(void* to, const void* from, u64 bytes, cudaMemcpyKind kind, const On& on, Wait wait);
// From one device to another, by way of this host. Returns when it is done.
void copy_across(VirtualDevice& to_device, u64 to, VirtualDevice& from_device, u64 from, u64 bytes,
                 const On& on);

} // namespace tasuki::remote
