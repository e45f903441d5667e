// A copy between any two places, on a stream. The devices follow from the addresses, or from the direction if an
// address is that of a variable.
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
// Throws Failure if the direction is invalid.
Sides sides_of(void* to, const void* from, cudaMemcpyKind kind, const On& on);

// Whether the call returns only after the bytes have arrived on the host. `no`: an Async copy to pinned memory.
enum class Wait { yes, no };

void copy(void* to, const void* from, u64 bytes, cudaMemcpyKind kind, const On& on, Wait wait);
// From one device to another, through this host. Returns after the copy.
void copy_across(VirtualDevice& to_device, u64 to, VirtualDevice& from_device, u64 from, u64 bytes,
                 const On& on);

} // namespace tasuki::remote
