// Stream-ordered allocation. Memory that a stream has freed can be reused by that stream at once; by other streams only
// after the device has been synchronised, or if memory is short.
#include <remote/runtime/captures.hpp>

#include <served.hpp>

#include <map>
#include <mutex>

namespace tasuki::remote {

namespace {
struct Kept {
  std::multimap<u64, u64> ranges; // bytes, address
};
std::mutex kept_mutex;
std::map<std::pair<VirtualDevice*, u64>, Kept>& kept_by() { // by stream
  static auto* all = new std::map<std::pair<VirtualDevice*, u64>, Kept>;
  return *all;
}

// Attributes are stored so that programs can read back what they set; they do not change the reuse of memory.
struct MemoryPool {
  u32 mark = 0x504f4f4c;
  VirtualDevice* device = nullptr;
  bool is_default = false;
  int reuse[3] = {1, 1, 1};
  u64 threshold = 0;
};
std::map<VirtualDevice*, MemoryPool*>& default_pools() {
  static auto* all = new std::map<VirtualDevice*, MemoryPool*>;
  return *all;
}
std::map<VirtualDevice*, MemoryPool*>& current_pools() {
  static auto* all = new std::map<VirtualDevice*, MemoryPool*>;
  return *all;
}
MemoryPool& default_pool(VirtualDevice& device) {
  auto& pool = default_pools()[&device];
  if (!pool) {
    pool = new MemoryPool;
    pool->device = &device;
    pool->is_default = true;
  }
  return *pool;
}
MemoryPool& pool_of(cudaMemPool_t handle) {
  auto* pool = reinterpret_cast<MemoryPool*>(handle);
  if (!pool || pool->mark != 0x504f4f4c) throw Failure(Status::invalid_value);
  return *pool;
}
} // namespace

void give_back_pools(VirtualDevice& device, u64 stream) {
  std::lock_guard hold(kept_mutex);
  for (auto& [key, kept] : kept_by()) {
    if (key.first != &device || (stream != ~u64{0} && key.second != stream)) continue;
    for (const auto& [bytes, address] : kept.ranges) device.release(address);
    kept.ranges.clear();
  }
}

namespace served {

cudaError_t cudaMallocAsync(void** devPtr, size_t size, cudaStream_t hStream) {
  if (!devPtr) return cudaErrorInvalidValue;
  const On on = resolve(hStream);
  not_captured(on);
  *devPtr = nullptr;
  if (size == 0) return cudaSuccess;
  const u64 rounded = (size + 255) / 256 * 256;
  {
    std::lock_guard hold(kept_mutex);
    auto& ranges = kept_by()[{&on.device, on.stream}].ranges;
    const auto at = ranges.find(rounded);
    if (at != ranges.end()) {
      *devPtr = reinterpret_cast<void*>(at->second);
      ranges.erase(at);
      return cudaSuccess;
    }
  }
  u64 address = on.device.allocate(rounded);
  if (!address) {
    give_back_pools(on.device, ~u64{0});
    address = on.device.allocate(rounded);
  }
  *devPtr = reinterpret_cast<void*>(address);
  return address ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaFreeAsync(void* devPtr, cudaStream_t hStream) {
  const On on = resolve(hStream);
  not_captured(on);
  if (!devPtr) return cudaSuccess;
  const auto address = reinterpret_cast<u64>(devPtr);
  const auto range = on.device.allocation(address);
  if (!range || range->address != address) return cudaErrorInvalidValue;
  std::lock_guard hold(kept_mutex);
  auto& ranges = kept_by()[{&on.device, on.stream}].ranges;
  for (const auto& [bytes, there] : ranges)
    if (there == address) return cudaErrorInvalidValue; // freed twice
  ranges.emplace(range->bytes, address);
  return cudaSuccess;
}

cudaError_t cudaMallocFromPoolAsync(void** ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream) {
  if (pool_of(memPool).device != &resolve(stream).device) return cudaErrorInvalidValue;
  return served::cudaMallocAsync(ptr, size, stream);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* memPool, int device) {
  std::lock_guard hold(kept_mutex);
  *memPool = reinterpret_cast<cudaMemPool_t>(&default_pool(device_at(device)));
  return cudaSuccess;
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* memPool, int device) {
  VirtualDevice& d = device_at(device);
  std::lock_guard hold(kept_mutex);
  MemoryPool* pool = current_pools()[&d];
  *memPool = reinterpret_cast<cudaMemPool_t>(pool ? pool : &default_pool(d));
  return cudaSuccess;
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool) {
  VirtualDevice& d = device_at(device);
  MemoryPool& pool = pool_of(memPool);
  if (pool.device != &d) return cudaErrorInvalidValue;
  std::lock_guard hold(kept_mutex);
  current_pools()[&d] = &pool;
  return cudaSuccess;
}

static bool on_device(const cudaMemLocation* location, cudaMemAllocationType type) {
  return location && location->type == cudaMemLocationTypeDevice && type == cudaMemAllocationTypePinned;
}
cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* memPool, cudaMemLocation* location,
                                     cudaMemAllocationType type) {
  return on_device(location, type) ? served::cudaDeviceGetDefaultMemPool(memPool, location->id)
                                   : cudaErrorNotSupported;
}
cudaError_t cudaMemGetMemPool(cudaMemPool_t* memPool, cudaMemLocation* location, cudaMemAllocationType type) {
  return on_device(location, type) ? served::cudaDeviceGetMemPool(memPool, location->id)
                                   : cudaErrorNotSupported;
}
cudaError_t cudaMemSetMemPool(cudaMemLocation* location, cudaMemAllocationType type, cudaMemPool_t memPool) {
  return on_device(location, type) ? served::cudaDeviceSetMemPool(location->id, memPool)
                                   : cudaErrorNotSupported;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* memPool, const cudaMemPoolProps* poolProps) {
  if (!memPool || !poolProps) return cudaErrorInvalidValue;
  if (poolProps->handleTypes != cudaMemHandleTypeNone)
    return refuse("a memory pool that is shared", "memory is of one process");
  if (!on_device(&poolProps->location, poolProps->allocType)) return cudaErrorNotSupported;
  auto* pool = new MemoryPool; // never freed, so that a stale handle is detected
  pool->device = &device_at(poolProps->location.id);
  *memPool = reinterpret_cast<cudaMemPool_t>(pool);
  return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool) {
  MemoryPool& pool = pool_of(memPool);
  if (pool.is_default) return cudaErrorInvalidValue;
  std::lock_guard hold(kept_mutex);
  if (current_pools()[pool.device] == &pool) current_pools().erase(pool.device);
  pool.mark = 0;
  return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool, cudaMemPoolAttr attr, void* value) {
  MemoryPool& pool = pool_of(memPool);
  switch (attr) {
    case cudaMemPoolReuseFollowEventDependencies:
      *static_cast<int*>(value) = pool.reuse[0];
      return cudaSuccess;
    case cudaMemPoolReuseAllowOpportunistic: *static_cast<int*>(value) = pool.reuse[1]; return cudaSuccess;
    case cudaMemPoolReuseAllowInternalDependencies:
      *static_cast<int*>(value) = pool.reuse[2];
      return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold: *static_cast<u64*>(value) = pool.threshold; return cudaSuccess;
    default: return cudaErrorNotSupported;
  }
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool, cudaMemPoolAttr attr, void* value) {
  MemoryPool& pool = pool_of(memPool);
  switch (attr) {
    case cudaMemPoolReuseFollowEventDependencies:
      pool.reuse[0] = *static_cast<int*>(value);
      return cudaSuccess;
    case cudaMemPoolReuseAllowOpportunistic: pool.reuse[1] = *static_cast<int*>(value); return cudaSuccess;
    case cudaMemPoolReuseAllowInternalDependencies:
      pool.reuse[2] = *static_cast<int*>(value);
      return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold: pool.threshold = *static_cast<u64*>(value); return cudaSuccess;
    default: return cudaErrorNotSupported;
  }
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t memPool,
                                 cudaMemLocation* location) {
  MemoryPool& pool = pool_of(memPool);
  const bool own =
      location && location->type == cudaMemLocationTypeDevice && location->id == pool.device->index();
  *flags = own ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
  return cudaSuccess;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t memPool, const cudaMemAccessDesc* descList, size_t count) {
  MemoryPool& pool = pool_of(memPool);
  for (size_t n = 0; n < count; ++n)
    if (descList[n].location.id != pool.device->index() && descList[n].flags != cudaMemAccessFlagsProtNone)
      return cudaErrorInvalidDevice; // no device can access another's memory
  return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t) {
  VirtualDevice& device = *pool_of(memPool).device;
  device.synchronize();
  give_back_pools(device, ~u64{0});
  return cudaSuccess;
}

} // namespace served
} // namespace tasuki::remote
