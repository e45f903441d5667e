// Pinned memory of the client's: pages of its own, and a note of which they are. Kernels of another host cannot reach it;
// copies take it as any other. What is asked for as mapped is memory of the current device, which the program reaches too.
#include <remote/runtime/program.hpp>

#include <served.hpp>

#include <sys/mman.h>

#include <map>
#include <mutex>
#include <shared_mutex>

namespace tasuki::remote {

namespace {
struct Range {
  std::size_t bytes;
  unsigned flags;
  bool ours; // by cudaHostAlloc; else the program's own
};
std::shared_mutex ranges_mutex;
std::map<std::uintptr_t, Range>& ranges() {
  static auto* all = new std::map<std::uintptr_t, Range>;
  return *all;
}
} // namespace

unsigned pinned_flags(const void* address, bool& found) {
  const auto a = reinterpret_cast<std::uintptr_t>(address);
  std::shared_lock hold(ranges_mutex);
  auto at = ranges().upper_bound(a);
  found = at != ranges().begin() && (--at, a < at->first + at->second.bytes);
  return found ? at->second.flags : 0;
}

bool pinned(const void* address) {
  bool found;
  pinned_flags(address, found);
  return found;
}

namespace {
// What is on its way to pinned memory, or will be read from there, is waited for before the memory goes.
void settle() {
  if (!VirtualDevice::unsettled()) return;
  for (int n = 0; n < session().count(); ++n) device_at(n).synchronize();
}

// Shared with the workers of this host where there are any; each device's takes it at its first copy there.
void* pages(std::size_t bytes) {
  if (current().calls().passes_files())
    if (void* at = share_pages(bytes)) {
      current().lend(at, bytes);
      return at;
    }
  return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
} // namespace

namespace served {

cudaError_t cudaMallocHost(void** ptr, size_t size) {
  return served::cudaHostAlloc(ptr, size, cudaHostAllocDefault);
}

cudaError_t cudaHostAlloc(void** pHost, size_t size, unsigned flags) {
  if (!pHost) return cudaErrorInvalidValue;
  *pHost = nullptr;
  session();
  if (size == 0) return cudaSuccess;
  const bool mapped = (flags & cudaHostAllocMapped) != 0;
  void* at = mapped ? allocate_mirrored(current(), size) : pages(size);
  if (!at || at == MAP_FAILED) return cudaErrorMemoryAllocation;
  std::unique_lock hold(ranges_mutex);
  ranges()[reinterpret_cast<std::uintptr_t>(at)] = {size, flags, true};
  *pHost = at;
  return cudaSuccess;
}

cudaError_t cudaFreeHost(void* ptr) {
  if (!ptr) return cudaSuccess;
  settle();
  std::unique_lock hold(ranges_mutex);
  const auto at = ranges().find(reinterpret_cast<std::uintptr_t>(ptr));
  if (at == ranges().end() || !at->second.ours) return cudaErrorInvalidValue;
  if (at->second.flags & cudaHostAllocMapped)
    session().owner(at->first)->release(at->first);
  else if (const u64 segment = unshare_pages(ptr))
    for (int n = 0; n < session().count(); ++n) device_at(n).take_back(segment);
  else
    munmap(ptr, at->second.bytes);
  ranges().erase(at);
  return cudaSuccess;
}

cudaError_t cudaHostRegister(void* ptr, size_t size, unsigned flags) {
  if (!ptr || !size) return cudaErrorInvalidValue;
  session();
  if (flags & cudaHostRegisterMapped)
    return refuse("cudaHostRegisterMapped",
                  "allocate it by cudaHostAlloc with cudaHostAllocMapped, or copy it");
  if (pinned(ptr)) return cudaErrorHostMemoryAlreadyRegistered;
  std::unique_lock hold(ranges_mutex);
  ranges()[reinterpret_cast<std::uintptr_t>(ptr)] = {size, flags, false};
  return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* ptr) {
  settle();
  std::unique_lock hold(ranges_mutex);
  const auto at = ranges().find(reinterpret_cast<std::uintptr_t>(ptr));
  if (at == ranges().end() || at->second.ours) return cudaErrorHostMemoryNotRegistered;
  ranges().erase(at);
  return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned* pFlags, void* pHost) {
  bool found;
  const unsigned flags = pinned_flags(pHost, found);
  if (!found) return cudaErrorInvalidValue;
  *pFlags = flags;
  return cudaSuccess;
}

} // namespace served
} // namespace tasuki::remote
