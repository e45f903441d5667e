// Managed memory, and mapped memory of the host: both are memory of one device, which the program reaches by the same addresses.
// The host's pages are fetched when they are touched, and sent before work is enqueued (remote/client/mirrored.hpp).
#include <remote/runtime/captures.hpp>
#include <remote/runtime/managed.hpp>

#include <served.hpp>

#include <cstring>

namespace tasuki::remote {

// A captured stream's work is done at the launches of its graph, and what the host has changed is sent then.
void give_mirrored(const On& on) {
  if (Mirrored* memory = on.device.mirrored_if(); memory && !capture_of(on)) memory->before(on.stream);
}

void give_mirrored(const On& on, std::initializer_list<Extent> used) {
  for (const auto& [address, bytes] : used) {
    Mirrored* memory = Mirrored::of(address);
    if (!memory || capture_of(on)) continue;
    memory->before(&memory->device() == &on.device ? on.stream : 0, address, bytes);
  }
}

// A launch does not say which of its parameters are pointers; a number that looks like one of these is one.
void own_mirrored(const VirtualDevice& device, View parameters) {
  if (session().count() == 1) return;
  for (std::size_t at = 0; at + 8 <= parameters.size; at += 8) {
    u64 word;
    std::memcpy(&word, static_cast<const unsigned char*>(parameters.data) + at, 8);
    Mirrored* memory = Mirrored::of(word);
    if (!memory || &memory->device() == &device || !memory->find(word)) continue;
    refuse("managed or mapped memory of one device in a kernel of another",
           "call cudaSetDevice before the allocation, and have memory for each device");
    throw Failure(Status::not_supported);
  }
}

bool mirrored(const void* address) {
  const auto a = reinterpret_cast<u64>(address);
  Mirrored* memory = Mirrored::of(a);
  return memory && memory->find(a);
}

void* allocate_mirrored(VirtualDevice& device, std::size_t bytes) {
  u64 address = device.mirrored().allocate(bytes);
  if (!address) {
    give_back_pools(device, ~u64{0});
    address = device.mirrored().allocate(bytes);
  }
  return reinterpret_cast<void*>(address);
}

namespace {

bool in_mirrored(const void* address, std::size_t bytes) {
  const auto a = reinterpret_cast<u64>(address);
  Mirrored* memory = Mirrored::of(a);
  const auto range = memory ? memory->find(a) : std::nullopt;
  return range && bytes <= range->address + range->bytes - a;
}

bool is_host(const cudaMemLocation& location) {
  return location.type == cudaMemLocationTypeHost || location.type == cudaMemLocationTypeHostNuma ||
         location.type == cudaMemLocationTypeHostNumaCurrent;
}

} // namespace

namespace served {

cudaError_t cudaMallocManaged(void** devPtr, size_t size, unsigned flags) {
  if (!devPtr || !size || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
    return cudaErrorInvalidValue;
  *devPtr = allocate_mirrored(current(), size);
  return *devPtr ? cudaSuccess : cudaErrorMemoryAllocation;
}

// To the device: at once, in the stream's order. To the host: once the stream is there, and the call waits for it.
cudaError_t cudaMemPrefetchAsync(const void* devPtr, size_t count, cudaMemLocation location, unsigned flags,
                                 cudaStream_t stream) {
  if (flags || !in_mirrored(devPtr, count)) return cudaErrorInvalidValue;
  const On on = resolve(stream);
  const auto address = reinterpret_cast<u64>(devPtr);
  if (is_host(location)) {
    not_captured(on);
    if (Mirrored* memory = on.device.mirrored_if(); memory && memory->holds(address))
      memory->fetch(on.stream, address, count);
    return cudaSuccess;
  }
  if (location.type != cudaMemLocationTypeDevice) return cudaErrorInvalidValue;
  device_at(location.id);
  give_mirrored(on, {{address, count}});
  return cudaSuccess;
}

// Where memory lies follows from who touches it.
cudaError_t cudaMemAdvise(const void* devPtr, size_t count, cudaMemoryAdvise advice, cudaMemLocation) {
  if (!in_mirrored(devPtr, count) || advice < cudaMemAdviseSetReadMostly ||
      advice > cudaMemAdviseUnsetAccessedBy)
    return cudaErrorInvalidValue;
  return cudaSuccess;
}

// A touch by the host waits for the whole device, so for this stream too.
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* devPtr, size_t length, unsigned flags) {
  resolve(stream);
  if (!in_mirrored(devPtr, length) ||
      (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle))
    return cudaErrorInvalidValue;
  return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void** pDevice, void* pHost, unsigned flags) {
  if (!pDevice || flags) return cudaErrorInvalidValue;
  if (!mirrored(pHost)) {
    if (!pinned(pHost)) return cudaErrorInvalidValue;
    return refuse("cudaHostGetDevicePointer of memory that is not mapped",
                  "allocate it by cudaHostAlloc with cudaHostAllocMapped");
  }
  *pDevice = pHost;
  return cudaSuccess;
}

} // namespace served
} // namespace tasuki::remote
