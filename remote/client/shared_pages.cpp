#include <remote/client/shared_pages.hpp>
#include <remote/link/sealed.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <shared_mutex>

namespace tasuki::remote {

namespace {

constexpr std::size_t most_segments = 256; // each has an open file

struct Segment {
  u64 number, bytes;
  int file;
};
std::shared_mutex segments_mutex;
std::map<std::uintptr_t, Segment>& segments() {
  static auto* all = new std::map<std::uintptr_t, Segment>;
  return *all;
}
u64 last_number = 0;

// Its size is sealed, so that the other process never finds a page missing.
int sealed_file(u64 bytes) {
  const int file = memfd_create("tasuki-pinned", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return -1;
  if (ftruncate(file, static_cast<off_t>(bytes)) == 0 && seal(file)) return file;
  close(file);
  return -1;
}

} // namespace

void* share_pages(u64 bytes) {
  if (bytes < shared_least) return nullptr;
  std::unique_lock hold(segments_mutex);
  if (segments().size() >= most_segments) return nullptr;
  const int file = sealed_file(bytes);
  if (file < 0) return nullptr;
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (at == MAP_FAILED) {
    close(file);
    return nullptr;
  }
  segments()[reinterpret_cast<std::uintptr_t>(at)] = {++last_number, bytes, file};
  return at;
}

std::optional<SharedPlace> shared_pages(const void* address, u64 bytes) {
  const auto a = reinterpret_cast<std::uintptr_t>(address);
  std::shared_lock hold(segments_mutex);
  auto at = segments().upper_bound(a);
  if (at == segments().begin()) return std::nullopt;
  const auto& [begin, segment] = *--at;
  const u64 offset = a - begin;
  if (offset > segment.bytes || bytes > segment.bytes - offset) return std::nullopt;
  return SharedPlace{segment.number, offset, segment.bytes, segment.file};
}

u64 unshare_pages(void* address) {
  std::unique_lock hold(segments_mutex);
  const auto at = segments().find(reinterpret_cast<std::uintptr_t>(address));
  if (at == segments().end()) return 0;
  const Segment segment = at->second;
  segments().erase(at);
  munmap(address, segment.bytes);
  close(segment.file);
  return segment.number;
}

} // namespace tasuki::remote
