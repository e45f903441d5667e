#include <remote/device/host_memory.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <remote/link/sealed.hpp>
#include <remote/wire/reserve.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace tasuki::remote {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kFirstVariables = 0x7e8000000000; // where it leaves room, before the place of arenas
#else
constexpr std::uint64_t kFirstVariables = 0x3e0000000000;
#endif
constexpr std::uint64_t kVariables = 64ull << 30, kNextVariables = 0x10000000000;
constexpr std::uint64_t kHeap = 1ull << 30; // bytes, for all malloc in kernels
constexpr std::uint64_t kFar = 4096;        // the most granules of a range that are searched

// The addresses stay, with nothing behind them.
void keep(std::uint64_t at, std::uint64_t bytes) {
  mmap(reinterpret_cast<void*>(at), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
       -1, 0);
}

std::string hexadecimal(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

} // namespace

HostMemory::HostMemory(std::uint64_t limit, std::function<void(const std::string&)> print)
    : limit_(limit), print_(std::move(print)) {}

HostMemory::~HostMemory() {
  if (bytes_) munmap(reinterpret_cast<void*>(base_), bytes_);
  if (variables_) munmap(reinterpret_cast<void*>(variables_), kVariables);
  for (const auto& [at, bytes] : adjoined_) munmap(reinterpret_cast<void*>(at), bytes);
}

void HostMemory::reserve(Address base, std::uint64_t bytes) {
  if (bytes_) throw DeviceError(Status::invalid_value, "the arena is reserved already", "reserve it once");
  if (base % kGranule || bytes % kGranule || bytes == 0)
    throw DeviceError(Status::invalid_value, "an arena is not made of 2 MiB pieces", "round it");
  if (!reserve_at(base, bytes))
    throw DeviceError(Status::memory_allocation, "address " + hexadecimal(base) + " is taken in this process",
                      "try the next base");
  file_ = Descriptor(memfd_create("tasuki-gpus-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file_.there() || ftruncate(file_.number(), static_cast<off_t>(bytes)) != 0 || !seal(file_.number())) {
    munmap(reinterpret_cast<void*>(base), bytes);
    throw DeviceError(Status::memory_allocation, std::string("memory cannot be had: ") + std::strerror(errno),
                      "look at the limits of the server's user (ulimit -a)");
  }
  base_ = base;
  bytes_ = bytes;
  mapped_ = std::vector<std::atomic<std::uint8_t>>(bytes / kGranule);
}

void HostMemory::check_range(Address at, std::uint64_t bytes) const {
  if (at < base_ || at - base_ > bytes_ || bytes > bytes_ - (at - base_) || bytes == 0 || at % kGranule ||
      bytes % kGranule)
    throw DeviceError(Status::invalid_value, "a range is not of the arena's pieces",
                      "give whole pieces of 2 MiB");
}

void HostMemory::map(Address at, std::uint64_t bytes) {
  check_range(at, bytes);
  for (std::uint64_t g = (at - base_) / kGranule; g < (at - base_ + bytes) / kGranule; ++g)
    if (mapped_[g])
      throw DeviceError(Status::invalid_value, "a piece of the arena is mapped already", "unmap it first");
  if (used_.fetch_add(bytes) + bytes > limit_) {
    used_ -= bytes;
    throw DeviceError(Status::memory_allocation, "the device has no more memory",
                      "free some, or serve more of it");
  }
  // Shared, so that a device of another process can have it too.
  if (mmap(reinterpret_cast<void*>(at), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE,
           file_.number(), static_cast<off_t>(at - base_)) == MAP_FAILED) {
    used_ -= bytes;
    throw DeviceError(Status::memory_allocation, std::string("memory cannot be had: ") + std::strerror(errno),
                      "serve less of it");
  }
  for (std::uint64_t g = (at - base_) / kGranule; g < (at - base_ + bytes) / kGranule; ++g) mapped_[g] = 1;
}

void HostMemory::unmap(Address at, std::uint64_t bytes) {
  check_range(at, bytes);
  for (std::uint64_t g = (at - base_) / kGranule; g < (at - base_ + bytes) / kGranule; ++g)
    if (!mapped_[g].exchange(0))
      throw DeviceError(Status::invalid_value, "a piece of the arena is not mapped", "unmap what was mapped");
  keep(at, bytes);
  // Memory that is mapped here later is zero again.
  fallocate(file_.number(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(at - base_),
            static_cast<off_t>(bytes));
  used_ -= bytes;
}

void HostMemory::adjoin(Address base, std::uint64_t bytes) {
  if (base % kGranule || bytes % kGranule || bytes == 0 || !reserve_at(base, bytes))
    throw DeviceError(Status::memory_allocation, "address " + hexadecimal(base) + " is taken in this process",
                      "copy through the client");
  const std::lock_guard<std::shared_mutex> lock(mutex_);
  adjoined_[base] = bytes;
}

int HostMemory::export_memory(Address at, std::uint64_t bytes) const {
  check_range(at, bytes);
  if (!covers(at, bytes))
    throw DeviceError(Status::invalid_value, "a piece of the arena is not mapped", "share what was mapped");
  const int file = fcntl(file_.number(), F_DUPFD_CLOEXEC, 0);
  if (file < 0)
    throw DeviceError(Status::memory_allocation, "no file is left for memory that is shared",
                      "raise ulimit -n of the server");
  return file;
}

void HostMemory::import_memory(Address at, std::uint64_t bytes, int file) {
  const std::lock_guard<std::shared_mutex> lock(mutex_);
  const auto arena = range_at(adjoined_, at);
  const auto next = others_.lower_bound(at);
  if (arena == adjoined_.end() || at % kGranule || bytes % kGranule || bytes == 0 ||
      bytes > arena->second - (at - arena->first) || range_at(others_, at) != others_.end() ||
      (next != others_.end() && next->first - at < bytes) || sealed_bytes(file) < at - arena->first + bytes)
    throw DeviceError(Status::invalid_value, "memory of another device that cannot be had",
                      "give a range of an arena that was adjoined, and the file of that arena");
  if (mmap(reinterpret_cast<void*>(at), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE,
           file, static_cast<off_t>(at - arena->first)) == MAP_FAILED)
    throw DeviceError(Status::memory_allocation, std::string("memory cannot be had: ") + std::strerror(errno),
                      "copy through the client");
  others_[at] = bytes;
}

void HostMemory::forget_memory(Address at, std::uint64_t bytes) {
  const std::lock_guard<std::shared_mutex> lock(mutex_);
  const auto found = others_.find(at);
  if (found == others_.end() || found->second != bytes || range_at(adjoined_, at) == adjoined_.end())
    throw DeviceError(Status::invalid_value, "no such memory of another device", "give a range as it came");
  others_.erase(found);
  keep(at, bytes);
}

void HostMemory::add(std::uint64_t at, std::uint64_t bytes) {
  const std::lock_guard<std::shared_mutex> lock(mutex_);
  others_[at] = bytes;
}

void HostMemory::remove(std::uint64_t at) {
  const std::lock_guard<std::shared_mutex> lock(mutex_);
  if (others_.erase(at) == 0)
    throw DeviceError(Status::invalid_value, "memory was not registered", "register it first");
}

std::uint64_t HostMemory::variables(std::uint64_t bytes) {
  const std::lock_guard<std::shared_mutex> lock(mutex_);
  for (std::uint64_t at = kFirstVariables; !variables_ && at < kFirstVariables + 32 * kNextVariables;
       at += kNextVariables)
    if (reserve_at(at, kVariables)) variables_ = variables_end_ = at;
  bytes = (bytes + 4095) / 4096 * 4096;
  if (!variables_ || variables_end_ + bytes > variables_ + kVariables ||
      mprotect(reinterpret_cast<void*>(variables_end_), bytes, PROT_READ | PROT_WRITE) != 0)
    throw DeviceError(Status::memory_allocation, "there is no room for a module's variables",
                      "make them smaller");
  const std::uint64_t at = variables_end_;
  variables_end_ += bytes;
  others_[at] = bytes;
  return at;
}

bool HostMemory::covers(std::uint64_t at, std::uint64_t bytes) const {
  if (at < base_ || at - base_ >= bytes_) {
    const std::shared_lock<std::shared_mutex> lock(mutex_);
    return bytes == 0 || range_at(adjoined_, at) == adjoined_.end() || covered(others_, at, bytes);
  }
  if (bytes > bytes_ - (at - base_)) return false;
  for (std::uint64_t g = (at - base_) / kGranule; g * kGranule < at - base_ + bytes; ++g)
    if (!mapped_[g]) return false;
  return true;
}

ptx::Range HostMemory::around(std::uint64_t address) const {
  if (address >= base_ && address - base_ < bytes_) {
    std::uint64_t first = (address - base_) / kGranule, last = first;
    const std::uint64_t here = first;
    if (!mapped_[here]) return {};
    while (first > 0 && here - first < kFar && mapped_[first - 1]) --first;
    while (last + 1 < mapped_.size() && last - here < kFar && mapped_[last + 1]) ++last;
    return {base_ + first * kGranule, base_ + (last + 1) * kGranule};
  }
  const std::shared_lock<std::shared_mutex> lock(mutex_);
  const auto found = range_at(others_, address);
  return found == others_.end() ? ptx::Range{} : ptx::Range{found->first, found->first + found->second};
}

std::uint64_t HostMemory::allocate(std::uint64_t bytes) {
  if (bytes == 0 || bytes > kHeap || used_.fetch_add(bytes) + bytes > limit_) {
    if (bytes > 0 && bytes <= kHeap) used_ -= bytes;
    return 0;
  }
  const std::lock_guard<std::shared_mutex> lock(mutex_);
  auto block = std::unique_ptr<std::uint64_t[]>(new (std::nothrow) std::uint64_t[(bytes + 15) / 16 * 2]);
  if (!block) return 0;
  const auto at = reinterpret_cast<std::uint64_t>(block.get());
  others_[at] = bytes;
  heap_[at] = std::move(block);
  return at;
}

void HostMemory::release(std::uint64_t address) {
  const std::lock_guard<std::shared_mutex> lock(mutex_);
  const auto found = heap_.find(address);
  if (found == heap_.end()) return;
  used_ -= others_[address];
  others_.erase(address);
  heap_.erase(found);
}

} // namespace tasuki::remote
