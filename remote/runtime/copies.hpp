// A copy between any two places, on a stream. The devices follow from the addresses, or from the direction if an
// address is that of a variable.
#pragma once

#include <remote/runtime/managed.hpp>
#include <remote/runtime/program.hpp>
#include <remote/wire/boxes.hpp>

#include <functional>

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

// Whether the call returns only after the bytes have arrived on the host. `no`: an Async copy to pinned memory. Between two devices:
// whether the copy is behind what either has been given.
enum class Wait { yes, no };

void copy(void* to, const void* from, u64 bytes, cudaMemcpyKind kind, const On& on, Wait wait);

Extent extent_of(const Place& at, const Box& box);

// A copy between two devices by one of them alone, if the stream is its own, and it reaches the other's memory or its worker. Else
// false, and the bytes have to go through this host.
bool copy_alone(VirtualDevice& to_device, const Place& to, VirtualDevice& from_device, const Place& from,
                const Box& box, const On& on, Wait wait);
// From one device to another. If the bytes go through this host, or on a default stream, returns after the copy.
void copy_across(VirtualDevice& to_device, u64 to, VirtualDevice& from_device, u64 from, u64 bytes,
                 const On& on, Wait wait);

} // namespace tasuki::remote
