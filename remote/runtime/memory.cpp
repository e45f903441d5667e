// Device memory: an allocation asks nobody as long as the device certainly has the memory.
#include <remote/runtime/program.hpp>

#include <served.hpp>

namespace tasuki::remote::served {

cudaError_t cudaMalloc(void** devPtr, size_t size) {
  if (!devPtr) return cudaErrorInvalidValue;
  VirtualDevice& device = current();
  *devPtr = nullptr;
  if (size == 0) return cudaSuccess;
  u64 address = device.allocate(size);
  if (!address) {
    give_back_pools(device, ~u64{0});
    address = device.allocate(size);
  }
  if (!address) return cudaErrorMemoryAllocation;
  *devPtr = reinterpret_cast<void*>(address);
  return cudaSuccess;
}

cudaError_t cudaFree(void* devPtr) {
  VirtualDevice& device = current();
  if (!devPtr) return cudaSuccess;
  const auto address = reinterpret_cast<u64>(devPtr);
  VirtualDevice* owner = session().owner(address);
  if (!owner) return cudaErrorInvalidValue;
  if (owner != &device) owner->check();
  return owner->release(address) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  const answer::Memory memory = current().memory();
  if (free) *free = memory.free;
  if (total) *total = memory.total;
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* ptr) {
  if (!attributes) return cudaErrorInvalidValue;
  *attributes = {};
  attributes->device = -2; // what CUDA says of memory that it does not know
  const auto address = reinterpret_cast<u64>(ptr);
  VirtualDevice* owner = session().owner(address);
  if (pinned(ptr)) {
    attributes->type = cudaMemoryTypeHost;
    attributes->device = owner ? owner->index() : thread().device;
    attributes->hostPointer = const_cast<void*>(ptr);
    if (owner) attributes->devicePointer = const_cast<void*>(ptr);
  } else if (owner && owner->allocation(address)) {
    const bool managed = mirrored(ptr);
    attributes->type = managed ? cudaMemoryTypeManaged : cudaMemoryTypeDevice;
    attributes->device = owner->index();
    attributes->devicePointer = const_cast<void*>(ptr);
    if (managed) attributes->hostPointer = const_cast<void*>(ptr);
  } else {
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->hostPointer = const_cast<void*>(ptr);
  }
  return cudaSuccess;
}

// What an element of an array would be. Arrays are not served, but this asks for none.
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
  return {x, y, z, w, f};
}

} // namespace tasuki::remote::served
